package launch

import (
	"context"
	"fmt"
	"net"
	"testing"
	"time"
)

// stranger listens on a port of the job and behaves as its manner says.
func stranger(t *testing.T, port int, manner func(net.Conn)) {
	t.Helper()
	ln, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { _ = conn.Close() })
			manner(conn)
		}
	}()
}

func silent(net.Conn)         {}
func hangUp(conn net.Conn)    { _ = conn.Close() }
func talkative(conn net.Conn) { _, _ = conn.Write([]byte("220 mail.example ESMTP ready\r\n")) }

// torchJob is what Detect makes of torchrun's variables on one machine.
func torchJob(t *testing.T, size int) (Job, int) {
	t.Helper()
	port := freePort(t)
	j, err := Detect([]string{"RANK=0", fmt.Sprintf("WORLD_SIZE=%d", size), "MASTER_ADDR=127.0.0.1", fmt.Sprintf("MASTER_PORT=%d", port), "TORCHELASTIC_RUN_ID=" + t.Name()})
	if err != nil {
		t.Fatal(err)
	}
	return j, port
}

// TestTorchrunPorts: torchrun's store holds MASTER_PORT and others hold ports
// after it; the job comes together on the first that is free.
func TestTorchrunPorts(t *testing.T) {
	tests := map[string][]func(net.Conn){
		"store only":              {silent},
		"store and strangers":     {silent, hangUp, talkative},
		"strangers say nothing":   {silent, silent, silent, silent},
		"everything is free":      nil,
		"another goshmem job too": {silent, anotherServer},
	}
	for name, held := range tests {
		t.Run(name, func(t *testing.T) {
			j, port := torchJob(t, 4)
			for i, manner := range held {
				stranger(t, port+i, manner)
			}
			stores := members(t, j, defaultLimits())
			at := stores[0].hub.ln.Addr().(*net.TCPAddr).Port
			if want := port + max(1, len(held)); at != want {
				t.Errorf("met at %d, want the first free port %d", at, want)
			}
			ctx := testContext(t)
			for r, err := range onRanks(4, func(r int) error { return rounds(ctx, stores[r], r, 4) }) {
				if err != nil {
					t.Errorf("rank %d: %v", r, err)
				}
			}
		})
	}
}

// anotherServer is the rank 0 of another job.
func anotherServer(conn net.Conn) {
	go func() {
		defer func() { _ = conn.Close() }()
		_, _ = newLink(conn, quick()).accept(secret{world: "another"}, peer{size: 4})
	}()
}

// TestMasterPortItself is used when all others are taken.
func TestMasterPortItself(t *testing.T) {
	j, port := torchJob(t, 2)
	for i := range portSpan {
		stranger(t, port+1+i, hangUp)
	}
	stores := members(t, j, defaultLimits())
	if at := stores[0].hub.ln.Addr().(*net.TCPAddr).Port; at != port {
		t.Errorf("met at %d, want %d", at, port)
	}
}

// TestNoPortFree: rank 0 says what to do, at once.
func TestNoPortFree(t *testing.T) {
	j, port := torchJob(t, 2)
	for i := range portSpan + 1 {
		stranger(t, port+i, hangUp)
	}
	_, err := Join(testContext(t), j)
	wantError(t, err, ErrRendezvous, "rank 0 cannot listen at "+j.Rendezvous, "GOSHMEM_RDZV")
}

// TestStrangersHearNothing: clients that look for the server send nothing to
// those that are not it.
func TestStrangersHearNothing(t *testing.T) {
	j, port := torchJob(t, 2)
	heard := make(chan string, 100)
	stranger(t, port, func(conn net.Conn) {
		go func() {
			buf := make([]byte, 100)
			if n, _ := conn.Read(buf); n > 0 {
				heard <- string(buf[:n])
			}
		}()
	})
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	_, err := Join(ctx, j.at(1))
	wantError(t, err, context.DeadlineExceeded, fmt.Sprintf("127.0.0.1:%d", port), "i/o timeout")
	select {
	case s := <-heard:
		t.Errorf("a stranger heard %q", s)
	default:
	}
}
