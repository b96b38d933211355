package launch

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience is how long a test waits for what should happen at once.
const patience = 20 * time.Second

// testContext ends a test that would hang.
func testContext(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

// quick are limits for tests that wait for one of them.
func quick() limits {
	lim := defaultLimits()
	lim.handshake, lim.frame = 200*time.Millisecond, 500*time.Millisecond
	return lim
}

// kindsOfPlace are the networks that this system has.
func kindsOfPlace() []string {
	if abstractNames() != nil {
		return []string{"tcp"}
	}
	return []string{"unix", "tcp"}
}

// newJob is a job that nobody else has, at a place on the given network.
func newJob(t testing.TB, network string, size int) Job {
	t.Helper()
	t.Cleanup(func() { noGoroutines(t) }) // runs last
	id, err := nonce()
	if err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("%x", id[:8])
	j := Job{Family: "goshmem", Size: size, LocalRank: -1, LocalSize: -1, Token: "secret " + name, Name: t.Name() + name}
	if network == "unix" {
		j.Rendezvous = "unix:@" + namePrefix + "test-" + name
	} else {
		j.Rendezvous = fmt.Sprintf("tcp:127.0.0.1:%d+%d", freePort(t), portSpan)
	}
	return j
}

// freePort is a port that was free a moment ago, like the ones of the range after
// it. It lies below those that systems hand out for outgoing connections.
func freePort(t testing.TB) int {
	t.Helper()
	for range 100 {
		port := 20000 + rand.IntN(10000)
		if rangeFree(port) {
			return port
		}
	}
	t.Fatal("no range of free ports")
	return 0
}

func rangeFree(port int) bool {
	for i := range portSpan + 1 {
		ln, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port+i))
		if err != nil || ln.Close() != nil {
			return false
		}
	}
	return true
}

// at is j as rank r sees it.
func (j Job) at(r int) Job {
	j.Rank = r
	return j
}

// onRanks calls f for each rank at the same time and returns the errors by rank.
func onRanks(size int, f func(rank int) error) []error {
	errs := make([]error, size)
	var wg sync.WaitGroup
	for r := range size {
		wg.Go(func() { errs[r] = f(r) })
	}
	wg.Wait()
	return errs
}

// members joins all ranks of j and closes them when the test ends.
func members(t testing.TB, j Job, lim limits) []*Store {
	t.Helper()
	ctx := testContext(t)
	stores := make([]*Store, j.Size)
	for r, err := range onRanks(j.Size, func(r int) (err error) {
		stores[r], err = join(ctx, j.at(r), lim)
		return err
	}) {
		if err != nil {
			t.Fatalf("rank %d: %v", r, err)
		}
	}
	t.Cleanup(func() {
		for _, s := range stores {
			if err := s.Close(); err != nil {
				t.Errorf("close: %v", err)
			}
		}
	})
	return stores
}

// noGoroutines fails if goroutines of this package stay behind.
func noGoroutines(t testing.TB) {
	t.Helper()
	var left string
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
		buf := make([]byte, 1<<20)
		left = string(buf[:runtime.Stack(buf, true)])
		if !strings.Contains(left, "launch.(*hub)") && !strings.Contains(left, "launch.(*link)") {
			return
		}
	}
	t.Errorf("goroutines left behind:\n%s", left)
}

// wantError checks the kind of an error and what its text mentions.
func wantError(t testing.TB, err, kind error, mentions ...string) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Errorf("error %v, want %v", err, kind)
		return
	}
	for _, m := range mentions {
		if !strings.Contains(err.Error(), m) {
			t.Errorf("error does not mention %q: %v", m, err)
		}
	}
}
