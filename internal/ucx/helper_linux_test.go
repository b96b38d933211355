package ucx

import (
	"context"
	"errors"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/goshmem/goshmem/internal/skip"
)

// overTCP is a Worker's network as far as one machine has one.
func overTCP() Config { return Config{Transports: "tcp", Devices: "lo"} }

// need ends the test as skipped where there is no UCX.
func need(t testing.TB) {
	t.Helper()
	if _, err := Probe(); errors.Is(err, ErrMissing) {
		skip.Now(t, skip.NoVendor, err.Error())
	}
}

// ways runs f over each transport. Shared memory is reached directly only where UCX has
// mapped it itself; else the target's process helps, as it does over TCP.
func ways(t *testing.T, f func(t *testing.T, a, b *side)) {
	need(t)
	for _, way := range []struct {
		name string
		c    Config
		ours bool // who has mapped the memory
	}{
		{"tcp", overTCP(), true},
		{"posix", Config{Transports: "posix,self"}, false},
		{"posix/ours", Config{Transports: "posix,self"}, true},
		{"cma", Config{Transports: "posix,cma,self"}, true},
	} {
		t.Run(way.name, func(t *testing.T) {
			a, b := pair(t, way.c, way.ours)
			f(t, a, b)
		})
	}
}

// open opens a Worker, which ends with the test.
func open(t testing.TB, c Config) *Worker {
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

// side is one of a pair: its memory, and how it reaches that of the other.
type side struct {
	w      *Worker
	memory []byte
	peer   *Peer
	remote *Remote
}

// sideSize is how much memory a side has.
const sideSize = 10 << 20

// pair connects two Workers of this process.
func pair(t testing.TB, c Config, ours bool) (a, b *side) {
	t.Helper()
	need(t)
	sides := [2]*side{{}, {}}
	var memories [2]*Memory
	for i, s := range sides {
		mapped := mapped(t)
		s.w = open(t, c)
		if ours {
			memories[i] = must(s.w.Register(unsafe.Pointer(&mapped[0]), sideSize))(t)
		} else {
			memories[i] = must(s.w.Allocate(sideSize))(t)
		}
		s.memory = memories[i].Bytes()
	}
	for i, s := range sides {
		s.peer, s.remote = reach(t, s.w, sides[1-i].w.Address(), memories[1-i].Key(), memories[1-i].Base())
	}
	for _, s := range sides { // UCX does not like to be left while it connects
		ok(t, s.remote.Put(0, unsafe.Pointer(&s.memory[0]), 1))
		ok(t, s.w.Flush(soon(t)))
	}
	return sides[0], sides[1]
}

// mapped is memory that is there until all Workers that are opened later have closed:
// others may still be putting to it.
func mapped(t testing.TB) []byte {
	t.Helper()
	memory := must(unix.Mmap(-1, 0, sideSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_ANONYMOUS))(t)
	t.Cleanup(func() {
		if err := unix.Munmap(memory); err != nil {
			t.Error(err)
		}
	})
	return memory
}

func reach(t testing.TB, w *Worker, address, key []byte, base uint64) (*Peer, *Remote) {
	t.Helper()
	p := must(w.Connect("the other", address))(t)
	return p, must(p.Map(key, base))(t)
}

// must is the value that came without an error.
func must[T any](v T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// ok ends the test over an error.
func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// soon is a context that is over long after a test should be.
func soon(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// within gives what f returns, and fails the test if that takes long.
func within(t testing.TB, f func() error) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-soon(t).Done():
		t.Fatal("it hangs")
		return nil
	}
}
