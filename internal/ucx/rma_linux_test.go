package ucx

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/goshmem/goshmem/internal/skip"
)

// TestContents: what is put can be read there after a flush, what is got is what was
// there, and nothing beside it changes, at odd addresses, from Go memory and from ours.
func TestContents(t *testing.T) {
	random := rand.NewChaCha8([32]byte{1})
	ways(t, func(t *testing.T, a, b *side) {
		for _, n := range []int{1, 7, 8, 1000, 8191, 65537, 4 << 20} {
			source := make([]byte, n)
			if _, err := random.Read(source); err != nil {
				t.Fatal(err)
			}
			fromGo(t, a, b, source)
			fromOurs(t, a, b, source)
		}
	})
}

func fromGo(t *testing.T, a, b *side, source []byte) {
	t.Helper()
	n := uintptr(len(source))
	b.memory[2], b.memory[3+n] = 0x5a, 0xa5
	ok(t, a.remote.Put(3, unsafe.Pointer(&source[0]), n))
	ok(t, a.w.Flush(soon(t)))
	if !bytes.Equal(b.memory[3:3+n], source) || b.memory[2] != 0x5a || b.memory[3+n] != 0xa5 {
		t.Errorf("%d bytes put from Go memory are not there, or more than those", n)
	}
	back := make([]byte, n+1)
	ok(t, a.remote.Get(3, unsafe.Pointer(&back[0]), n))
	if !bytes.Equal(back[:n], source) || back[n] != 0 {
		t.Errorf("%d bytes got into Go memory differ", n)
	}
}

func fromOurs(t *testing.T, a, b *side, source []byte) {
	t.Helper()
	const there, back = 5<<20 + 1, 5<<20 + 5
	n := uintptr(len(source))
	copy(a.memory[7:], source)
	ok(t, a.remote.PutNBI(there, unsafe.Pointer(&a.memory[7]), n))
	ok(t, a.peer.Flush(soon(t)))
	if !bytes.Equal(b.memory[there:there+n], source) {
		t.Errorf("%d bytes put from registered memory are not there", n)
	}
	clear(a.memory[back : back+n])
	ok(t, a.remote.GetNBI(there, unsafe.Pointer(&a.memory[back]), n))
	ok(t, a.w.Flush(soon(t)))
	if !bytes.Equal(a.memory[back:back+n], source) {
		t.Errorf("%d bytes got into registered memory differ", n)
	}
}

// TestFenceOrder: whoever sees a later word sees what was put before the fence, large or
// small, blocking or not, whether the word is put or is an atomic's.
func TestFenceOrder(t *testing.T) { ways(t, fenceOrder) }

// TestFenceOrderAsked is the same where UCX asks before it sends much, so that it comes
// after what was sent behind it.
func TestFenceOrderAsked(t *testing.T) {
	need(t)
	t.Setenv("UCX_RNDV_THRESH", "8k")
	a, b := pair(t, overTCP(), true)
	fenceOrder(t, a, b)
}

func fenceOrder(t *testing.T, a, b *side) {
	const data, flag = 8, 8 << 20
	word := (*uint64)(unsafe.Pointer(&b.memory[flag]))
	for i := uint64(1); i <= 24; i++ {
		n := uintptr([]int{8, 8000, 70000, 1 << 20}[i%4])
		source := a.memory[:n]
		binary.NativeEndian.PutUint64(source, i)
		binary.NativeEndian.PutUint64(source[n-8:], i)
		if i%3 == 0 {
			ok(t, a.remote.Put(data, unsafe.Pointer(&source[0]), n))
		} else {
			ok(t, a.remote.PutNBI(data, unsafe.Pointer(&source[0]), n))
		}
		ok(t, a.w.Fence())
		if i%2 == 0 {
			ok(t, a.remote.AtomicNBI(flag, Add, 8, 1))
		} else {
			ok(t, a.remote.Put(flag, unsafe.Pointer(&i), 8))
		}
		ok(t, b.w.Wait(soon(t), func() bool { a.w.Progress(); return atomic.LoadUint64(word) == i }))
		first, last := binary.NativeEndian.Uint64(b.memory[data:]), binary.NativeEndian.Uint64(b.memory[data+n-8:])
		if first != i || last != i {
			t.Fatalf("round %d: the word came before %d bytes that were put before it: %d, %d", i, n, first, last)
		}
	}
}

// TestFenceOverBothWays: memory that is mapped here does not overtake what UCX was given for
// other memory of the same peer, which its process has to help with.
func TestFenceOverBothWays(t *testing.T) {
	given := mapped(t)
	a, b := pair(t, Config{Transports: "posix,self"}, false)
	served := must(b.w.Register(unsafe.Pointer(&given[0]), sideSize))(t)
	slow := must(a.peer.Map(served.Key(), served.Base()))(t)
	if a.remote.direct == nil || slow.direct != nil {
		t.Fatal("memory that UCX has mapped has to be here, and other memory not")
	}
	const n = 1 << 20
	for i := uint64(1); i <= 20; i++ {
		binary.NativeEndian.PutUint64(a.memory[n-8:], i)
		ok(t, slow.PutNBI(0, unsafe.Pointer(&a.memory[0]), n))
		ok(t, a.w.Fence())
		ok(t, a.remote.Put(0, unsafe.Pointer(&i), 8))
		if last := binary.NativeEndian.Uint64(given[n-8:]); last != i {
			t.Fatalf("round %d: the word came before what was put before it, which is %d", i, last)
		}
	}
}

// TestPassiveTarget: the other process need not do anything, and its Worker sleeps between.
func TestPassiveTarget(t *testing.T) {
	ways(t, func(t *testing.T, a, b *side) {
		for i := range uint64(3) {
			if err := within(t, func() error {
				ok(t, a.remote.Put(64, unsafe.Pointer(&i), 8))
				return a.w.Flush(soon(t))
			}); err != nil || binary.NativeEndian.Uint64(b.memory[64:]) != i {
				t.Fatal(err)
			}
		}
	})
}

// TestRanges: what is not in the memory is refused here, as the other process would die of it.
func TestRanges(t *testing.T) {
	a, _ := pair(t, overTCP(), true)
	var word uint64
	at := unsafe.Pointer(&word)
	for _, c := range []struct{ offset, n uintptr }{{sideSize - 7, 8}, {sideSize, 1}, {^uintptr(0), 8}, {1 << 62, 8}, {8, ^uintptr(0) - 4}} {
		for name, err := range map[string]error{"put": a.remote.Put(c.offset, at, c.n), "get": a.remote.GetNBI(c.offset, at, c.n)} {
			if !errors.Is(err, ErrArgument) {
				t.Errorf("%s of %d at %d: %v", name, c.n, c.offset, err)
			}
		}
	}
	if _, err := a.remote.Atomic(sideSize, Add, 8, 1, 0); !errors.Is(err, ErrArgument) {
		t.Error(err)
	}
	ok(t, a.remote.Put(sideSize, nil, 0))
	ok(t, a.remote.Close())
	if err := a.remote.Put(0, at, 8); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}

// TestAllocations: the data path has none, also not for waiting or on the other side.
func TestAllocations(t *testing.T) {
	if raceBuild {
		skip.Now(t, skip.RaceBuild, "sync.Pool forgets at random under the race detector")
	}
	ways(t, func(t *testing.T, a, _ *side) {
		word := new(uint64)
		at := unsafe.Pointer(&a.memory[0])
		for name, f := range map[string]func() error{
			"put":           func() error { return a.remote.Put(8, at, 8) },
			"put from Go":   func() error { return a.remote.Put(8, unsafe.Pointer(word), 8) },
			"put of much":   func() error { return a.remote.Put(1<<20, at, 1<<20) },
			"get":           func() error { return a.remote.Get(8, at, 8) },
			"add":           func() error { return a.remote.AtomicNBI(16, Add, 8, 1) },
			"fetch and add": func() error { _, err := a.remote.Atomic(16, Add, 8, 1, 0); return err },
			"flush":         func() error { return errors.Join(a.remote.PutNBI(8, at, 8), a.w.Flush(t.Context())) },
		} {
			ok(t, f())
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for range 20 {
				ok(t, f())
			}
			runtime.ReadMemStats(&after)
			if n := after.Mallocs - before.Mallocs; n >= 20 {
				t.Errorf("%s: %d allocations in 20 calls", name, n)
			}
		}
	})
}
