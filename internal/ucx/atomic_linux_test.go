package ucx

import (
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"
)

// result is what an atomic leaves.
func result(op AtomicOp, was, operand, compare uint64) uint64 {
	switch op {
	case Add:
		return was + operand
	case Swap:
		return operand
	case CompareSwap:
		if was == compare {
			return operand
		}
		return was
	case And:
		return was & operand
	case Or:
		return was | operand
	}
	return was ^ operand
}

// TestEveryAtomic: each operation, of both widths, with and without an answer, changes
// its word as it should, and nothing beside it.
func TestEveryAtomic(t *testing.T) {
	ways(t, func(t *testing.T, a, b *side) {
		word := (*uint64)(unsafe.Pointer(&b.memory[32]))
		for op := Add; op <= Xor; op++ {
			for _, width := range []int{4, 8} {
				for i := range 2 {
					one(t, a, word, op, width, i)
				}
			}
		}
	})
}

func one(t *testing.T, a *side, word *uint64, op AtomicOp, width, i int) {
	t.Helper()
	mask := ^uint64(0)
	if width == 4 {
		mask = 1<<32 - 1
	}
	was, operand, compare := rand.Uint64(), rand.Uint64(), rand.Uint64()
	if i%2 == 0 {
		compare = was
	}
	atomic.StoreUint64(word, was)
	want := was&^mask | result(op, was&mask, operand&mask, compare&mask)&mask
	if old, err := a.remote.Atomic(32, op, width, operand, compare); err != nil || old != was&mask {
		t.Errorf("operation %d of %d bytes gave %#x instead of %#x, %v", op, width, old, was&mask, err)
	}
	if got := atomic.LoadUint64(word); got != want {
		t.Errorf("operation %d of %d bytes left %#x instead of %#x", op, width, got, want)
	}
	if op == Swap || op == CompareSwap {
		return
	}
	atomic.StoreUint64(word, was)
	ok(t, a.remote.AtomicNBI(32, op, width, operand))
	ok(t, a.w.Flush(soon(t)))
	if got := atomic.LoadUint64(word); got != want {
		t.Errorf("operation %d of %d bytes without an answer left %#x instead of %#x", op, width, got, want)
	}
}

// TestAtomicWithOurs: a counter that is added to from elsewhere and by sync/atomic at the
// target at the same time loses nothing.
func TestAtomicWithOurs(t *testing.T) {
	ways(t, func(t *testing.T, a, b *side) {
		const rounds = 800
		words := [2]*uint64{(*uint64)(unsafe.Pointer(&b.memory[64])), (*uint64)(unsafe.Pointer(&b.memory[128]))}
		var wg sync.WaitGroup
		wg.Go(func() {
			for range 20 * rounds {
				atomic.AddUint64(words[0], 1<<32)
				atomic.AddUint32((*uint32)(unsafe.Pointer(words[1])), 1)
			}
		})
		for i := range uint64(rounds) {
			if i%40 == 0 {
				_, err := a.remote.Atomic(64, Add, 8, 1, 0)
				ok(t, err)
				continue
			}
			ok(t, a.remote.AtomicNBI(64, Add, 8, 1))
			ok(t, a.remote.AtomicNBI(128, Add, 4, 1))
		}
		ok(t, a.w.Flush(soon(t)))
		wg.Wait()
		if got := atomic.LoadUint64(words[0]); got != 20*rounds<<32|rounds {
			t.Errorf("64 bits: %#x", got)
		}
		if got := atomic.LoadUint64(words[1]); got != 20*rounds+rounds*39/40 {
			t.Errorf("32 bits: %d", got)
		}
	})
}

func TestAtomicArguments(t *testing.T) {
	a, _ := pair(t, overTCP(), true)
	if _, err := a.remote.Atomic(4, Add, 8, 1, 0); !errors.Is(err, ErrArgument) {
		t.Errorf("not aligned: %v", err)
	}
	if err := a.remote.AtomicNBI(8, Add, 2, 1); !errors.Is(err, ErrArgument) {
		t.Errorf("2 bytes: %v", err)
	}
	if err := a.remote.AtomicNBI(8, Swap, 8, 1); !errors.Is(err, ErrArgument) {
		t.Errorf("a swap without an answer: %v", err)
	}
}
