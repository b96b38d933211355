package ucx

import (
	"errors"
	"sync/atomic"
	"testing"
	"unsafe"
)

// TestSleeps: the goroutine of a Worker that has nothing to do sleeps until something
// comes, and so does whoever waits for long.
func TestSleeps(t *testing.T) {
	a, b := pair(t, overTCP(), true)
	asleep := func(n int) {
		t.Helper()
		ok(t, within(t, func() error {
			for {
				b.w.mu.Lock()
				enough := b.w.asleep >= n
				b.w.mu.Unlock()
				if enough {
					return nil
				}
			}
		}))
	}
	asleep(1)
	word := (*uint64)(unsafe.Pointer(&b.memory[64]))
	woken := make(chan error, 1)
	go func() { woken <- b.w.Wait(soon(t), func() bool { return atomic.LoadUint64(word) == 7 }) }()
	asleep(2)
	seven := uint64(7)
	ok(t, a.remote.Put(64, unsafe.Pointer(&seven), 8))
	ok(t, <-woken)
}

// TestSignals: with UCX loaded, a nil dereference is still a panic that can be recovered from.
func TestSignals(t *testing.T) {
	need(t)
	open(t, overTCP())
	var missing *side
	err := func() (err error) {
		defer func() { err, _ = recover().(error) }()
		return errors.New(string(missing.memory))
	}()
	if err == nil {
		t.Error("no panic")
	}
}
