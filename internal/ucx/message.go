package ucx

import (
	"fmt"
	"unsafe"

	"github.com/goshmem/goshmem/internal/abi/ucx"
	"github.com/goshmem/goshmem/internal/dl"
)

// MaxMessage is how long a message can be.
const MaxMessage = chunkSize

// The tags of our messages.
const (
	messageTag = 0x676f73686d656d00 // of those that are handed out
	aliveTag   = 0x676f73686d656d10 // says that the sender is there
	leaveTag   = 0x676f73686d656d11 // says that it will not be any more
)

// Send sends a message of 1 to MaxMessage bytes. It returns when the message can be used
// again; the peer's handler gets it whenever it gets to it. Messages of one Worker arrive
// in their order.
func (p *Peer) Send(message []byte) error {
	if len(message) == 0 || len(message) > MaxMessage {
		return fmt.Errorf("ucx: %w: a message of %d bytes for %s: 1 to %d", ErrArgument, len(message), p.name, MaxMessage)
	}
	w := p.w
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := p.usable(); err != nil {
		return err
	}
	chunk := w.chunks.take()
	defer func() {
		if !p.stuck {
			w.chunks.give(chunk)
		}
	}()
	copy(unsafe.Slice((*byte)(chunk), len(message)), message)
	p.posted++
	result := dl.Call(w.lib.send, p.ep, uintptr(chunk), uintptr(len(message)), messageTag, dl.Addr(w.plain))
	return p.finish("send", result, true, uintptr(len(message)))
}

// Serve sets who handles messages; those that have come before wait for it. One is handled
// at a time, and is valid only during the call: by the Worker's own goroutine, or by one
// that is in Progress or Wait, never by one that puts, gets, sends or flushes. The handler
// may use everything here, but what waits for further messages would wait forever, and
// what takes long keeps others waiting.
func (w *Worker) Serve(handle func(message []byte)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.handle = handle
	w.deliver()
}

// deliver hands out the messages that have come. The lock is held, but not during calls
// of the handler.
func (w *Worker) deliver() {
	w.listen()
	if w.handle == nil || w.handling {
		return
	}
	w.handling = true
	for !w.closed {
		found := dl.Call(w.lib.probe, w.worker, messageTag, ^uintptr(0), 1, dl.Addr(w.info))
		if found == 0 {
			break
		}
		if message := w.receive(found); message != nil {
			w.mu.Unlock()
			w.handle(message)
			w.mu.Lock()
		}
	}
	w.handling = false
}

// receive copies a message that the library has; nil if it is none of ours.
func (w *Worker) receive(found uintptr) []byte {
	chunk, n := w.chunks.take(), uintptr(w.info.Length)
	defer w.chunks.give(chunk)
	request := dl.Call(w.lib.receive, w.worker, uintptr(chunk), min(n, MaxMessage), found, dl.Addr(w.plain))
	for request != 0 && !failed(request) {
		s := status(dl.Call(w.lib.check, request))
		if s != ucx.UCS_INPROGRESS {
			dl.Call(w.lib.free, request)
			request = uintptr(int(s))
			break
		}
		dl.Call(w.lib.progress, w.worker)
	}
	if request != 0 || n == 0 || n > MaxMessage {
		return nil
	}
	w.message = append(w.message[:0], unsafe.Slice((*byte)(chunk), n)...)
	return w.message
}
