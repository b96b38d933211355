package launch

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"sync"
	"testing"
)

// tap is a proxy that keeps every byte that passes, in both directions.
type tap struct {
	ln   net.Listener
	to   string
	mu   sync.Mutex
	seen bytes.Buffer
}

func newTap(t *testing.T, to string) *tap {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &tap{ln: ln, to: to}
	t.Cleanup(func() { _ = ln.Close() })
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			go p.relay(conn)
		}
	}()
	return p
}

func (p *tap) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.seen.Write(b)
}

func (p *tap) relay(a net.Conn) {
	defer func() { _ = a.Close() }()
	b, err := net.Dial("tcp", p.to)
	if err != nil {
		return
	}
	defer func() { _ = b.Close() }()
	go func() {
		_, _ = io.Copy(io.MultiWriter(p, b), a)
		_ = b.Close()
	}()
	_, _ = io.Copy(io.MultiWriter(p, a), b)
}

// TestTokenDoesNotTravel records a whole job and looks for the token.
func TestTokenDoesNotTravel(t *testing.T) {
	j := newJob(t, "tcp", 2)
	j.Token = "correct horse battery staple"
	port := freePort(t)
	j.Rendezvous = fmt.Sprintf("tcp:127.0.0.1:%d", port)
	p := newTap(t, fmt.Sprintf("127.0.0.1:%d", port))
	ctx := testContext(t)
	for r, err := range onRanks(2, func(r int) error {
		mine := j.at(r)
		if r == 1 {
			mine.Rendezvous = "tcp:" + p.ln.Addr().String()
		}
		return chat(ctx, mine)
	}) {
		if err != nil {
			t.Errorf("rank %d: %v", r, err)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !bytes.Contains(p.seen.Bytes(), []byte("hello, rank 1")) {
		t.Fatal("the tap did not hear the job")
	}
	for _, form := range []string{j.Token, hex.EncodeToString([]byte(j.Token)), digest(j.Token)} {
		if bytes.Contains(p.seen.Bytes(), []byte(form)) {
			t.Errorf("the token travelled as %q", form)
		}
	}
}

func chat(ctx context.Context, j Job) error {
	s, err := Join(ctx, j)
	if err != nil {
		return err
	}
	buf := make([]byte, 13)
	if j.Rank == 0 {
		copy(buf, "hello, rank 1")
	}
	if err := s.Broadcast(ctx, buf, 0); err != nil {
		return err
	}
	return s.Close()
}
