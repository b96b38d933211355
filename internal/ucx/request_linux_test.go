package ucx

import (
	"encoding/binary"
	"errors"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/goshmem/goshmem/internal/dl"
)

// TestRefused: who asks for what is not memory of the other process is told, by the
// operation itself or by the next flush, and both go on.
func TestRefused(t *testing.T) {
	a, b := pair(t, overTCP(), true)
	wild := *a.remote
	wild.n = 1 << 40
	word := new(uint64)
	if _, err := wild.Atomic(sideSize, Add, 8, 1, 0); !errors.Is(err, ErrRefused) {
		t.Errorf("atomic: %v", err)
	}
	if err := wild.Get(sideSize-4, unsafe.Pointer(word), 8); !errors.Is(err, ErrRefused) {
		t.Errorf("get: %v", err)
	}
	for name, do := range map[string]func() error{
		"put": func() error { return wild.Put(1<<30, unsafe.Pointer(word), 8) },
		"add": func() error { return wild.AtomicNBI(1<<30, Add, 8, 1) },
		"get": func() error { return wild.GetNBI(1<<30, unsafe.Pointer(&a.memory[0]), 8) },
	} {
		ok(t, do())
		if err := a.w.Flush(soon(t)); !errors.Is(err, ErrRefused) {
			t.Errorf("flush after %s: %v", name, err)
		}
		ok(t, a.remote.Put(0, unsafe.Pointer(word), 8))
		ok(t, a.w.Flush(soon(t)))
	}
	ok(t, b.peer.Err())
}

// TestUnknownPeer: what somebody asks for before the other side has connected to him is
// done when it has.
func TestUnknownPeer(t *testing.T) {
	a, b := open(t, overTCP()), open(t, overTCP())
	m := must(b.Register(unsafe.Pointer(&mapped(t)[0]), sideSize))(t)
	peer, remote := reach(t, a, b.Address(), m.Key(), m.Base())
	seven := uint64(7)
	ok(t, remote.Put(8, unsafe.Pointer(&seven), 8))
	ended := make(chan error, 1)
	go func() { ended <- peer.Flush(soon(t)) }()
	ok(t, b.Wait(soon(t), func() bool { return len(b.earlies) == 2 }))
	must(b.Connect("the first", a.Address()))(t)
	ok(t, <-ended)
	if got := binary.NativeEndian.Uint64(m.Bytes()[8:]); got != 7 {
		t.Errorf("%d was put", got)
	}
}

// FuzzRequest: whatever comes as a request, nobody ends, and good ones are done.
func FuzzRequest(f *testing.F) {
	a, b := pair(f, overTCP(), true)
	base := b.w.memories[0].Base()
	for kind := range uint8(tellNot + 2) {
		for _, q := range []request{
			{kind: kind}, {kind: kind, n: 8, at: base, back: base, mark: 1, width: 8}, {kind: kind, op: 9, width: 3, at: base + 1, mark: 1 << 63},
			{kind: kind, n: 1<<32 - 1, at: ^uint64(0) - 3, back: 1, mark: 2, width: 4}, {kind: kind, n: chunkSize, at: base + sideSize - 8, mark: 3, width: 8},
		} {
			f.Add(unsafe.Slice((*byte)(unsafe.Pointer(&q)), headSize))
		}
	}
	f.Add([]byte{askPut})
	f.Add(make([]byte, headSize+8))
	f.Add(make([]byte, 3*chunkSize))
	word := (*uint64)(unsafe.Pointer(&b.memory[sideSize-8]))
	n := uint64(0)
	f.Fuzz(func(t *testing.T, message []byte) {
		if len(message) == 0 || len(message) > sideSize {
			return
		}
		copy(a.memory, message)
		strange(t, a, uintptr(len(message)))
		n++
		if err := a.remote.Put(sideSize-8, unsafe.Pointer(&n), 8); err != nil && !errors.Is(err, ErrRefused) { // which is said of those before
			t.Error(err)
		}
		ok(t, b.w.Wait(soon(t), func() bool { a.w.Progress(); return atomic.LoadUint64(word) == n }))
	})
}

// strange sends the first n bytes of a side's memory as a request.
func strange(t *testing.T, a *side, n uintptr) {
	t.Helper()
	a.w.mu.Lock()
	defer a.w.mu.Unlock()
	a.peer.posted++
	result := dl.Call(a.w.lib.send, a.peer.ep, uintptr(unsafe.Pointer(&a.memory[0])), n, requestTag|uintptr(a.w.identity), dl.Addr(a.w.plain))
	ok(t, a.peer.finish("send", result, true, 0))
}
