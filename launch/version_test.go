package launch

import (
	"fmt"
	"net"
	"strings"
	"testing"
)

// TestOlderServer: a server of another version ends the join at once where its place can be
// no other job's, and is told who has come to it.
func TestOlderServer(t *testing.T) {
	j := newJob(t, "tcp", 2)
	j.Rendezvous, _, _ = strings.Cut(j.Rendezvous, "+")
	ln, err := net.Listen("tcp", strings.TrimPrefix(j.Rendezvous, "tcp:"))
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	told := make(chan string, 1)
	go func() {
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		_, _ = conn.Write(encode(kindGreet, []byte(magic+"1"), make([]byte, nonceSize))) // read or not, the join fails
		f, err := readFrame(conn, maxShake)
		told <- fmt.Sprintf("%c%s %v", f.kind, f.body, err)
	}()
	_, err = Join(testContext(t), j.at(1))
	wantError(t, err, ErrVersion, "rank 1 (host ", "the server has version '1' of the rendezvous", "has '2': build all from one release")
	if got := <-told; !strings.HasPrefix(got, string(kindVersion)+string(version)) || !strings.Contains(got, self(j).host) {
		t.Errorf("the server was told %q", got)
	}
}

// TestNewerClient: a client of another version is not let in, and who waits for it learns
// who it was and where it came from.
func TestNewerClient(t *testing.T) {
	o := open(t, "tcp", 2, quick())
	conn := o.dial(t)
	if _, err := readFrame(conn, maxShake); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Write(encode(kindVersion, []byte{'3'}, self(o.at(1)).encode())); err != nil {
		t.Fatal(err)
	}
	want := "a connection from " + conn.LocalAddr().String() + " was not let in: versions differ: rank 1 (host "
	waitFor(t, "the refusal", func() bool {
		o.store.hub.mu.Lock()
		defer o.store.hub.mu.Unlock()
		text := o.store.hub.roster()
		return strings.Contains(text, want) && strings.Contains(text, "has version '3' of the rendezvous")
	})
	if _, err := conn.Read(make([]byte, 1)); err == nil {
		t.Error("the connection goes on")
	}
	o.finish(t)
}
