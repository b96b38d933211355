package launch

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"
)

// halfJob is a job of two of which only rank 0 has come, with a server that
// tests can talk to. finish lets rank 1 in and fails if that does not work.
type halfJob struct {
	Job
	ctx   context.Context
	first chan error
	store *Store
	hub   *hub
}

func startHalf(t *testing.T, network string, lim limits) *halfJob {
	t.Helper()
	h := &halfJob{Job: newJob(t, network, 2), ctx: testContext(t), first: make(chan error, 1)}
	at, err := parseAddress(h.Rendezvous)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := at.world(1).listen(h.ctx)
	if err != nil {
		t.Fatal(err)
	}
	h.hub = newHub(ln, h.secret(1), self(h.at(0)), lim)
	h.store = &Store{me: self(h.at(0)), limits: lim, hub: h.hub}
	f := h.finder(h.Job, 0)
	go func() {
		var err error
		if h.store.link, h.store.server, err = f.find(h.ctx); err == nil {
			_, err = h.store.await(h.ctx)
		}
		h.first <- err
	}()
	waitFor(t, "rank 0", func() bool {
		h.hub.mu.Lock()
		defer h.hub.mu.Unlock()
		return h.hub.joined == 1
	})
	return h
}

// finder looks for the server as rank r of j.
func (h *halfJob) finder(j Job, r int) finder {
	addr := h.hub.ln.Addr()
	return finder{network: addr.Network(), candidates: []string{addr.String()}, secret: j.secret(1), me: self(j.at(r)), limits: defaultLimits()}
}

// dial connects without saying anything.
func (h *halfJob) dial(t *testing.T) net.Conn {
	t.Helper()
	conn, err := net.Dial(h.hub.ln.Addr().Network(), h.hub.ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	return conn
}

func (h *halfJob) finish(t *testing.T) {
	t.Helper()
	l, _, err := h.finder(h.Job, 1).find(h.ctx)
	if err != nil {
		t.Fatalf("rank 1: %v", err)
	}
	if f, err := l.receiveContext(h.ctx); err != nil || f.kind != kindDone {
		t.Errorf("rank 1: %v, %v", f, err)
	}
	if err := <-h.first; err != nil {
		t.Errorf("rank 0: %v", err)
	}
	h.end(t)
	_ = l.conn.Close()
}

func (h *halfJob) end(t *testing.T) {
	t.Helper()
	if err := h.store.Close(); err != nil {
		t.Error(err)
	}
	noGoroutines(t)
}

// TestStrangers: connections that do not belong to the job are dropped, and the
// job comes together as if they had not been there.
func TestStrangers(t *testing.T) {
	huge := binary.BigEndian.AppendUint32([]byte{byte(kindAnswer)}, 1<<30)
	short := encode(kindAnswer, make([]byte, nonceSize))
	tests := map[string]struct{ says []byte }{
		"garbage":         {bytes.Repeat([]byte{0xa5}, 4096)},
		"http":            {[]byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n")},
		"oversized frame": {huge},
		"short answer":    {short},
		"wrong proof":     {encode(kindAnswer, make([]byte, nonceSize+proofSize+peerSize))},
		"call at once":    {encode(kindBarrier)},
		"silence":         {nil},
		"half a frame":    {short[:20]},
	}
	for _, network := range kindsOfPlace() {
		for name, tt := range tests {
			t.Run(network+"/"+name, func(t *testing.T) {
				h := startHalf(t, network, quick())
				conn := h.dial(t)
				if _, err := conn.Write(tt.says); err != nil {
					t.Fatal(err)
				}
				got, err := io.ReadAll(conn) // ends when the server drops us
				if err != nil && !strings.Contains(err.Error(), "reset") {
					t.Errorf("not dropped: %v", err)
				}
				if len(got) > 2*(headerSize+nonceSize) {
					t.Errorf("a stranger was told %d bytes", len(got))
				}
				h.finish(t)
			})
		}
	}
}

// TestSlowLoris: bytes that trickle in do not hold a place for longer than the
// whole handshake may take, and many such connections do not keep the job apart.
func TestSlowLoris(t *testing.T) {
	lim := quick()
	lim.pending = 4
	h := startHalf(t, kindsOfPlace()[0], lim)
	begin := time.Now()
	var wg sync.WaitGroup
	for range 3 * lim.pending {
		conn := h.dial(t)
		wg.Go(func() {
			for _, b := range encode(kindAnswer, make([]byte, 200)) {
				if _, err := conn.Write([]byte{b}); err != nil {
					return // dropped, as it should be
				}
				time.Sleep(10 * time.Millisecond) // slowness is what is tested
			}
			t.Error("a slow connection was heard to its end")
		})
	}
	h.finish(t)
	wg.Wait()
	if took := time.Since(begin); took > patience/2 {
		t.Errorf("took %v", took)
	}
}

func TestWrongToken(t *testing.T) {
	for _, network := range kindsOfPlace() {
		t.Run(network, func(t *testing.T) {
			h := startHalf(t, network, defaultLimits())
			wrong := h.Job
			wrong.Token = "guess"
			ctx, cancel := context.WithTimeout(h.ctx, 200*time.Millisecond)
			defer cancel()
			_, _, err := h.finder(wrong, 1).find(ctx)
			wantError(t, err, ErrRefused, "GOSHMEM_TOKEN")
			h.finish(t)
		})
	}
}

// TestFalseServer: a server without the token is not believed.
func TestFalseServer(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ln.Close() }()
	go func() {
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		_, _ = conn.Write(encode(kindGreet, []byte(magic), make([]byte, nonceSize)))
		l := newLink(conn, quick())
		if _, err := l.expect(kindAnswer, 1); err == nil {
			_, _ = conn.Write(encode(kindProof, make([]byte, proofSize), peer{size: 2}.encode()))
		}
	}()
	conn, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	_, err = newLink(conn, quick()).connect(secret{token: "t", world: "w"}, peer{rank: 1, size: 2}, patience)
	wantError(t, err, ErrRefused, "server holds another token")
}

// TestReflection: a client cannot pass by sending the server's proof back.
func TestReflection(t *testing.T) {
	s := secret{token: "t", world: "w"}
	a, b, who := make([]byte, nonceSize), make([]byte, nonceSize), peer{}.encode()
	if bytes.Equal(s.prove(roleServer, a, b, who), s.prove(roleClient, a, b, who)) {
		t.Error("both roles have the same proof")
	}
	if bytes.Equal(s.prove(roleClient, a, b, who), s.prove(roleClient, a, b, peer{rank: 1}.encode())) {
		t.Error("the proof does not cover who sends it")
	}
	if bytes.Equal(s.prove(roleClient, a, b, who), secret{token: "t", world: "v"}.prove(roleClient, a, b, who)) {
		t.Error("the proof does not cover the job")
	}
}

// TestContradictions: all that are connected learn who contradicts whom.
func TestContradictions(t *testing.T) {
	tests := map[string]struct {
		bad      func(Job) Job
		mentions []string
	}{
		"size":         {func(j Job) Job { j.Size = 5; return j.at(2) }, []string{"rank 2 (host ", "5 processes", "rank 0 (host ", "says 4"}},
		"twice":        {func(j Job) Job { return j.at(1) }, []string{"rank 1 is there twice: rank 1 (host ", " and rank 1 (host ", "pid "}},
		"rank":         {func(j Job) Job { return j.at(4) }, []string{"rank 4 (host ", "ranks 0 to 3 only"}},
		"second first": {func(j Job) Job { return j.at(0) }, []string{"rank 0 is there twice"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			j := newJob(t, kindsOfPlace()[0], 4)
			ctx := testContext(t)
			var hubs sync.Map
			errs := onRanks(2, func(r int) error {
				s := &Store{me: self(j.at(r)), limits: defaultLimits()}
				hubs.Store(r, s)
				err := s.enter(ctx, j.at(r))
				t.Cleanup(func() { _ = s.Close() })
				if r == 1 {
					return err
				}
				return err
			}, func() error { return intrude(ctx, j, tt.bad(j)) })
			for _, err := range errs {
				wantError(t, err, ErrDisagree, tt.mentions...)
			}
		})
	}
}

func intrude(ctx context.Context, j, bad Job) error {
	at, err := parseAddress(j.Rendezvous)
	if err != nil {
		return err
	}
	at = at.world(1)
	f := finder{network: at.network(), candidates: at.candidates(), secret: j.secret(1), me: self(bad), limits: defaultLimits()}
	l, _, err := f.find(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = l.conn.Close() }()
	s := Store{link: l}
	if _, err := s.await(ctx); err != nil {
		return err
	}
	return errors.New(fmt.Sprint("let in: ", bad))
}
