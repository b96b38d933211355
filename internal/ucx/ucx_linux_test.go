package ucx

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/goshmem/goshmem/internal/skip"
)

// ways are the transports that every test runs over. Shared memory is reached directly
// only where UCX has mapped it itself.
func ways(t *testing.T, f func(t *testing.T, c Config)) {
	t.Helper()
	if _, err := Probe(); errors.Is(err, ErrMissing) {
		skip.Now(t, skip.NoVendor, err.Error())
	}
	for name, c := range map[string]Config{
		"tcp":   {Transports: "tcp", Devices: "lo"},
		"posix": {Transports: "posix,self"},
		"cma":   {Transports: "posix,cma,self"},
	} {
		t.Run(name, func(t *testing.T) { f(t, c) })
	}
}

// open opens a worker, which ends with the test.
func open(t *testing.T, c Config) *Worker {
	t.Helper()
	w, err := Open(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// side is one of a pair: its memory, and that of the other.
type side struct {
	w      *Worker
	memory []byte
	peer   *Peer
	remote *Remote
}

// pair connects two workers of this process. Memory is UCX's or mapped by us.
func pair(t *testing.T, c Config, size uintptr, ours bool) (a, b *side) {
	t.Helper()
	var keys [2]*Memory
	sides := [2]*side{{}, {}}
	for i, s := range sides {
		s.w = open(t, c)
		keys[i] = memoryOf(t, s.w, size, ours)
		s.memory = keys[i].Bytes()
	}
	for i, s := range sides {
		var err error
		if s.peer, err = s.w.Connect("the other", sides[1-i].w.Address()); err != nil {
			t.Fatal(err)
		}
		if s.remote, err = s.peer.Map(keys[1-i].Key(), keys[1-i].Base()); err != nil {
			t.Fatal(err)
		}
	}
	return sides[0], sides[1]
}

func memoryOf(t *testing.T, w *Worker, size uintptr, ours bool) *Memory {
	t.Helper()
	if !ours {
		m, err := w.Allocate(size)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	memory, err := unix.Mmap(-1, 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_ANONYMOUS)
	if err != nil {
		t.Fatal(err)
	}
	m, err := w.Register(unsafe.Pointer(&memory[0]), size)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// soon is a context that is over long after a test should be.
func soon(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func TestContents(t *testing.T) {
	for _, ours := range []bool{false, true} {
		ways(t, func(t *testing.T, c Config) {
			a, b := pair(t, c, 10<<20, ours)
			for _, n := range []int{1, 2, 3, 8, 63, 1000, 8191, 65537, 1<<20 + 3, 4 << 20} {
				contents(t, a, b, n)
			}
		})
	}
}

func contents(t *testing.T, a, b *side, n int) {
	t.Helper()
	start := time.Now()
	source := make([]byte, n)
	for i := range source {
		source[i] = byte(rand.Uint32())
	}
	if err := a.remote.Put(3, unsafe.Pointer(&source[0]), uintptr(n)); err != nil {
		t.Fatal(err)
	}
	if err := a.w.Flush(soon(t)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b.memory[3:3+n], source) {
		t.Errorf("%d bytes put from Go memory differ", n)
	}
	back := make([]byte, n)
	if err := a.remote.Get(3, unsafe.Pointer(&back[0]), uintptr(n)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(back, source) {
		t.Errorf("%d bytes got into Go memory differ", n)
	}
	copy(a.memory[7:], source)
	if err := a.remote.PutNBI(5<<20+1, unsafe.Pointer(&a.memory[7]), uintptr(n)); err != nil {
		t.Fatal(err)
	}
	if err := a.w.Flush(soon(t)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b.memory[5<<20+1:][:n], source) {
		t.Errorf("%d bytes put from registered memory differ", n)
	}
	if err := a.remote.GetNBI(3, unsafe.Pointer(&a.memory[1]), uintptr(n)); err != nil {
		t.Fatal(err)
	}
	if err := a.w.Flush(soon(t)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a.memory[1:1+n], source) {
		t.Errorf("%d bytes got into registered memory differ", n)
	}
	if os.Getenv("V") != "" {
		t.Log(n, time.Since(start))
	}
}

func TestMessages(t *testing.T) {
	ways(t, func(t *testing.T, c Config) {
		a, b := pair(t, c, 4096, false)
		var got []int
		b.w.Serve(func(m []byte) { got = append(got, len(m)) })
		for _, n := range []int{1, 100, 9000, MaxMessage} {
			if err := a.peer.Send(make([]byte, n)); err != nil {
				t.Fatal(err)
			}
		}
		if err := b.w.Wait(soon(t), func() bool { return len(got) == 4 }); err != nil {
			t.Fatal(err, got)
		}
	})
}

func TestAtomics(t *testing.T) {
	ways(t, func(t *testing.T, c Config) {
		a, b := pair(t, c, 4096, false)
		old, err := a.remote.Atomic(8, Add, 8, 5, 0)
		if err != nil || old != 0 {
			t.Fatal(old, err)
		}
		old, err = a.remote.Atomic(8, CompareSwap, 8, 9, 5)
		if err != nil || old != 5 || b.memory[8] != 9 {
			t.Fatal(old, err, b.memory[8])
		}
	})
}
