package ucx

import (
	"bytes"
	"errors"
	"testing"
	"unsafe"

	"github.com/goshmem/goshmem/internal/dl"
)

// TestMessages: they come whole and in their order, one at a time, also those that came
// before there was a handler, and a handler can answer.
func TestMessages(t *testing.T) {
	ways(t, func(t *testing.T, a, b *side) {
		sizes := []int{1, 100, 8000, 20000, MaxMessage}
		for i, n := range sizes[:2] {
			ok(t, a.peer.Send(bytes.Repeat([]byte{byte(i)}, n)))
		}
		var got, answers []byte
		b.w.Serve(func(m []byte) {
			if n := len(got); len(m) != sizes[n] || m[0] != byte(n) || m[len(m)-1] != byte(n) {
				t.Errorf("message %d has %d bytes of %d", n, len(m), m[0])
			}
			got = append(got, m[0])
			ok(t, b.peer.Send(m[:1]))
		})
		a.w.Serve(func(m []byte) { answers = append(answers, m...) })
		for i, n := range sizes[2:] {
			ok(t, a.peer.Send(bytes.Repeat([]byte{byte(i + 2)}, n)))
		}
		ok(t, a.w.Wait(soon(t), func() bool { return len(answers) == len(sizes) }))
		if !bytes.Equal(answers, got) {
			t.Errorf("answers %v to %v", answers, got)
		}
	})
}

// TestNotMessages: what is no message is refused before it is sent; and what comes from
// somebody who sends too much or nothing harms nobody.
func TestNotMessages(t *testing.T) {
	a, b := pair(t, overTCP(), true)
	for _, n := range []int{0, MaxMessage + 1} {
		if err := a.peer.Send(make([]byte, n)); !errors.Is(err, ErrArgument) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	var got [][]byte
	b.w.Serve(func(m []byte) { got = append(got, bytes.Clone(m)) })
	for _, tag := range []uintptr{messageTag, aliveTag, leaveTag} {
		for _, n := range []uintptr{0, 1, 7, 9, MaxMessage + 1, 1 << 20} {
			raw(t, a, tag, n)
		}
	}
	ok(t, a.peer.Send([]byte("last")))
	ok(t, b.w.Wait(soon(t), func() bool { return len(got) > 0 && string(got[len(got)-1]) == "last" }))
	for _, m := range got {
		if len(m) > MaxMessage || len(m) == 0 {
			t.Errorf("a message of %d bytes was handed out", len(m))
		}
	}
	ok(t, b.peer.Err())
}

// raw sends n bytes past all checks.
func raw(t *testing.T, a *side, tag, n uintptr) {
	t.Helper()
	a.w.mu.Lock()
	defer a.w.mu.Unlock()
	a.peer.posted++
	result := dl.Call(a.w.lib.send, a.peer.ep, uintptr(unsafe.Pointer(&a.memory[0])), n, tag, dl.Addr(a.w.plain))
	ok(t, a.peer.finish("send", result, false, 0))
}
