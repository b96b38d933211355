package ucx

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"time"
	"unsafe"

	"github.com/goshmem/goshmem/internal/abi/ucx"
	"github.com/goshmem/goshmem/internal/dl"
)

// A network that is cut says nothing, and TCP believes in what it has sent for a quarter
// of an hour. So Workers say that they are there to those that they have to do with.

// identity tells Workers apart: their addresses do. It fits into the tag of a request.
func identity(address []byte) uint64 {
	h := fnv.New64a()
	_, _ = h.Write(address) // never fails
	return h.Sum64() &^ uint64(requestMask)
}

// interval is how often a Worker says that it is there.
func (c Config) interval() time.Duration {
	return min(max(c.timeout()/8, 10*time.Millisecond), 2*time.Second)
}

// speak says that this Worker is there, if it is time, and gives up those that have not
// said so for too long. The lock is held.
func (w *Worker) speak() {
	now := time.Now()
	if now.Sub(w.said) < w.config.interval() {
		return
	}
	w.said = now
	for _, p := range w.peers {
		if p.err() != nil || !p.known() {
			continue
		}
		p.say(aliveTag)
		if silent := now.Sub(p.heard); !p.heard.IsZero() && silent > w.config.timeout() {
			p.lose(fmt.Errorf("ucx: %s: %w: not heard of for %v", p.name, ErrUnreachable, silent.Round(10*time.Millisecond)))
			p.drop()
			w.rouse()
		}
	}
}

// known says whether we have to do with the peer.
func (p *Peer) known() bool { return p.posted > 0 || p.asked > 0 || !p.heard.IsZero() }

// say sends one of our own messages, unless the one before has not left.
func (p *Peer) say(tag uintptr) {
	w := p.w
	if p.saying != 0 {
		if status(dl.Call(w.lib.check, p.saying)) == ucx.UCS_INPROGRESS {
			return
		}
		dl.Call(w.lib.free, p.saying)
		p.saying = 0
	}
	result := dl.Call(w.lib.send, p.ep, dl.Addr(p.word), unsafe.Sizeof(*p.word), tag, dl.Addr(w.plain))
	if !failed(result) { // else its fault is known soon
		p.saying = result
	}
}

// listen takes what the others' Workers say. The lock is held.
func (w *Worker) listen() {
	w.obey() // who has left has answered before
	for {
		found := dl.Call(w.lib.probe, w.worker, aliveTag, ^uintptr(aliveTag^leaveTag), 1, dl.Addr(w.info))
		if found == 0 {
			return
		}
		left := w.info.SenderTag == leaveTag
		if message := w.receive(found); len(message) == 8 {
			w.heardOf(binary.NativeEndian.Uint64(message), left)
		}
	}
}

func (w *Worker) heardOf(who uint64, left bool) {
	for _, p := range w.peers {
		if p.who != who {
			continue
		}
		p.lives()
		if left {
			p.lose(fmt.Errorf("ucx: %s: %w", p.name, ErrLeft))
		}
	}
}

// lives notes a sign of life of the peer. The lock is held.
func (p *Peer) lives() {
	p.heard = time.Now()
	p.signs.Add(1)
}

// Signs counts what has shown that the peer lives: that its Worker said so, and answers to
// what it was asked for. It does not wait.
func (p *Peer) Signs() uint32 { return p.signs.Load() }
