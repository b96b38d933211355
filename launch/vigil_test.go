package launch

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"
)

// musterAlone has one launcher of two wait, and returns what it is told and how it ends.
func musterAlone(t *testing.T, ctx context.Context, r Roll, notice time.Duration) (said <-chan string, ended <-chan error) {
	t.Helper()
	lim := defaultLimits()
	lim.notice = notice
	told, end := make(chan string, 2), make(chan error, 1)
	r.Nodes, r.Waiting = 2, func(what string) { told <- what }
	go func() {
		c, err := musterWithin(ctx, r, lim)
		if err == nil {
			err = c.Close()
		}
		end <- err
	}()
	return told, end
}

// TestWaitingIsTold: who waits learns for whom, and where.
func TestWaitingIsTold(t *testing.T) {
	at := fmt.Sprintf("127.0.0.1:%d", freePort(t))
	for node, want := range []string{"waiting for node 1 at " + at + "; 127.0.0.1 is each machine itself", "waiting for node 0 at " + at + "; 127.0.0.1 is each machine itself"} {
		ctx, cancel := context.WithCancel(testContext(t))
		said, ended := musterAlone(t, ctx, Roll{Rendezvous: "tcp:" + at, Node: node}, 20*time.Millisecond)
		if got := <-said; !strings.HasPrefix(got, want) {
			t.Errorf("node %d: %q", node, got)
		}
		cancel()
		if err := <-ended; err == nil {
			t.Errorf("node %d: no error", node)
		}
	}
}

// TestOtherTokenIsToldAtOnce: who is refused ends, and who refused says so, both long before
// their time is over.
func TestOtherTokenIsToldAtOnce(t *testing.T) {
	at := fmt.Sprintf("tcp:127.0.0.1:%d", freePort(t))
	ctx, cancel := context.WithCancel(testContext(t))
	defer cancel()
	said, ended := musterAlone(t, ctx, Roll{Rendezvous: at, Token: "a"}, time.Hour)
	_, refused := musterAlone(t, ctx, Roll{Rendezvous: at, Token: "b", Node: 1}, time.Hour)
	wantError(t, <-refused, ErrRefused, "launch: join: node 1 (host ", "was not let in at "+strings.TrimPrefix(at, "tcp:"), "another GOSHMEM_TOKEN")
	if got := <-said; !strings.Contains(got, "waiting for node 1 at ") || !strings.Contains(got, "was not let in: handshake refused: the client holds another token") {
		t.Errorf("node 0 said %q", got)
	}
	cancel()
	wantError(t, <-ended, context.Canceled)
}

// TestStrangerHoldsThePort: that somebody else answers is not that nobody does.
func TestStrangerHoldsThePort(t *testing.T) {
	port := freePort(t)
	stranger(t, port, talkative)
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	_, err := Muster(ctx, Roll{Rendezvous: fmt.Sprintf("tcp:127.0.0.1:%d", port), Node: 1, Nodes: 2})
	wantError(t, err, context.DeadlineExceeded, "what answers there is not goshmem", "not a frame of this protocol")
}
