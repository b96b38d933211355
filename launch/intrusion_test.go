package launch

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"
)

// openJob is a job of which only rank 0 has come so far.
type openJob struct {
	Job
	ctx   context.Context
	store *Store     // of rank 0
	first chan error // how rank 0's joining ended
}

func open(t *testing.T, network string, size int, lim limits) *openJob {
	t.Helper()
	o := &openJob{Job: newJob(t, network, size), ctx: testContext(t), first: make(chan error, 1)}
	at, err := parseAddress(o.Rendezvous)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := at.world(1).listen(o.ctx)
	if err != nil {
		t.Fatal(err)
	}
	o.store = &Store{me: self(o.at(0)), limits: lim, hub: newHub(ln, o.secret(1), self(o.at(0)), lim, nil)}
	t.Cleanup(func() {
		if err := o.store.Close(); err != nil {
			t.Error(err)
		}
	})
	go func() {
		var err error
		if o.store.link, o.store.server, err = o.finder(o.Job, 0).find(o.ctx); err == nil {
			_, err = o.store.await(o.ctx)
		}
		o.first <- err
	}()
	o.waitJoined(t, 1)
	return o
}

func (o *openJob) waitJoined(t *testing.T, n int) {
	t.Helper()
	waitFor(t, fmt.Sprintf("%d joined", n), func() bool {
		o.store.hub.mu.Lock()
		defer o.store.hub.mu.Unlock()
		return o.store.hub.joined == n
	})
}

// finder looks for the server as rank r of j.
func (o *openJob) finder(j Job, r int) finder {
	addr := o.store.hub.ln.Addr()
	return finder{network: addr.Network(), candidates: []string{addr.String()}, secret: j.secret(1), me: self(j.at(r)), limits: defaultLimits()}
}

// enter joins as rank j.Rank of j, which may contradict what the others say.
func (o *openJob) enter(j Job) error {
	s := &Store{limits: defaultLimits()}
	var err error
	if s.link, s.server, err = o.finder(j, j.Rank).find(o.ctx); err != nil {
		return err
	}
	defer func() { _ = s.link.conn.Close() }()
	_, err = s.await(o.ctx)
	return err
}

// dial connects without saying anything.
func (o *openJob) dial(t *testing.T) net.Conn {
	t.Helper()
	conn, err := net.Dial(o.store.hub.ln.Addr().Network(), o.store.hub.ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	return conn
}

// finish lets rank 1 of 2 in.
func (o *openJob) finish(t *testing.T) {
	t.Helper()
	if err := o.enter(o.at(1)); err != nil {
		t.Errorf("rank 1: %v", err)
	}
	if err := <-o.first; err != nil {
		t.Errorf("rank 0: %v", err)
	}
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
				o := open(t, network, 2, quick())
				conn := o.dial(t)
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
				o.finish(t)
			})
		}
	}
}

// TestSlowLoris: bytes that trickle in do not hold a place for longer than the
// whole handshake may take, and many such connections do not keep the job apart.
func TestSlowLoris(t *testing.T) {
	lim := quick()
	lim.pending = 4
	o := open(t, kindsOfPlace()[0], 2, lim)
	begin := time.Now()
	var wg sync.WaitGroup
	for range 3 * lim.pending {
		conn := o.dial(t)
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
	o.finish(t)
	wg.Wait()
	if took := time.Since(begin); took > patience/2 {
		t.Errorf("took %v", took)
	}
}

func TestWrongToken(t *testing.T) {
	for _, network := range kindsOfPlace() {
		t.Run(network, func(t *testing.T) {
			o := open(t, network, 2, defaultLimits())
			wrong := o.Job
			wrong.Token = "guess"
			ctx, cancel := context.WithTimeout(o.ctx, 200*time.Millisecond)
			defer cancel()
			_, _, err := o.finder(wrong, 1).find(ctx)
			wantError(t, err, ErrRefused, "GOSHMEM_TOKEN")
			o.finish(t)
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
		_, _ = conn.Write(encode(kindGreet, []byte(magic), []byte{version}, make([]byte, nonceSize)))
		l := newLink(conn, quick())
		if _, err := l.expect(kindAnswer, 1, peer{}); err == nil {
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
			o := open(t, kindsOfPlace()[0], 4, defaultLimits())
			second := make(chan error, 1)
			go func() { second <- o.enter(o.at(1)) }()
			o.waitJoined(t, 2)
			for _, err := range []error{o.enter(tt.bad(o.Job)), <-second, <-o.first} {
				wantError(t, err, ErrDisagree, tt.mentions...)
			}
			// Whoever comes later gets to know it too.
			wantError(t, o.enter(o.at(3)), ErrDisagree, tt.mentions...)
		})
	}
}
