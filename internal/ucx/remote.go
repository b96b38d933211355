package ucx

import (
	"context"
	"encoding/binary"
	"fmt"
	"unsafe"

	"github.com/goshmem/goshmem/internal/abi/ucx"
	"github.com/goshmem/goshmem/internal/dl"
)

// Remote is a peer's memory. Offsets are bytes from its base.
type Remote struct {
	p      *Peer
	rkey   uintptr
	base   uint64
	from   uint64         // offset of the first byte of the memory that the key is of
	n      uint64         // bytes of that memory
	direct unsafe.Pointer // where its first byte is here; nil: it is not
}

// Map makes a peer's memory usable, of which it has sent the key. Base is the peer's
// address that offset 0 stands for, as a rule that of the memory (Memory.Base). It does not
// wait.
func (p *Peer) Map(key []byte, base uint64) (*Remote, error) {
	data, err := unseal(keyMark, "a key of "+p.name, key)
	if err != nil {
		return nil, err
	}
	if len(data) <= 16 {
		return nil, fmt.Errorf("ucx: %w: a key of %s has %d bytes", ErrArgument, p.name, len(data))
	}
	at, n := binary.LittleEndian.Uint64(data), binary.LittleEndian.Uint64(data[8:])
	data = data[16:]
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	if err := p.usable(); err != nil {
		return nil, err
	}
	s := dl.Borrow()
	defer s.Return()
	copied := dl.OutSlice[byte](s, len(data))
	copy(copied, data)
	rkey := dl.Out[uintptr](s)
	if st := status(dl.Call(p.w.lib.unpack, p.ep, dl.Addr(&copied[0]), dl.Addr(rkey))); st != ucx.UCS_OK {
		return nil, p.outcome("use a key", st)
	}
	r := &Remote{p: p, rkey: *rkey, base: base, from: at - base, n: n, direct: p.mapped(*rkey, at, s)}
	p.remotes = append(p.remotes, r)
	return r, nil
}

// Close gives the key up. Operations on the Remote must be over; Flush before. Again
// does nothing.
func (r *Remote) Close() error {
	r.p.w.mu.Lock()
	defer r.p.w.mu.Unlock()
	r.forget()
	return nil
}

func (r *Remote) forget() {
	if r.rkey != 0 {
		dl.Call(r.p.w.lib.rkeyGone, r.rkey)
		r.rkey, r.direct = 0, nil
	}
}

// inside is an error if n bytes at offset are not all of the memory: the other process
// would write to them nevertheless, and die of it.
func (r *Remote) inside(offset, n uintptr) error {
	if at := uint64(offset) - r.from; at > r.n || uint64(n) > r.n-at {
		return fmt.Errorf("ucx: %w: %d bytes at offset %d, and the memory of %s has %d", ErrArgument, n, offset, r.p.name, r.n)
	}
	return nil
}

// ready is an error if the Remote cannot be used. The lock is held.
func (r *Remote) ready() error {
	if r.rkey == 0 {
		if err := r.p.usable(); err != nil {
			return err
		}
		return fmt.Errorf("ucx: memory of %s: %w", r.p.name, ErrClosed)
	}
	return r.p.usable()
}

// Put copies n bytes from local to offset. When it returns, local can be used again; the
// data has arrived only after a Flush.
func (r *Remote) Put(offset uintptr, local unsafe.Pointer, n uintptr) error {
	return r.move(true, true, offset, local, n)
}

// PutNBI is Put that may return before local can be used again, which is after a Flush,
// if local is registered; Go memory can be used again at once.
func (r *Remote) PutNBI(offset uintptr, local unsafe.Pointer, n uintptr) error {
	return r.move(true, false, offset, local, n)
}

// Get copies n bytes from offset to local. The data is there when it returns.
func (r *Remote) Get(offset uintptr, local unsafe.Pointer, n uintptr) error {
	return r.move(false, true, offset, local, n)
}

// GetNBI is Get that may return before the data is there, which it is after a Flush. To
// Go memory it is Get.
func (r *Remote) GetNBI(offset uintptr, local unsafe.Pointer, n uintptr) error {
	return r.move(false, false, offset, local, n)
}

func (r *Remote) move(put, wait bool, offset uintptr, local unsafe.Pointer, n uintptr) error {
	if err := r.inside(offset, n); err != nil || n == 0 {
		return err
	}
	w := r.p.w
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.soft:
		return r.ask(put, wait, offset, local, n)
	case r.direct != nil:
		return r.copy(put, offset, local, n)
	}
	inPlace, most := w.inPlace(uintptr(local), n), uintptr(chunkSize)
	if inPlace {
		most = partSize
	}
	for n > 0 {
		part, err := min(n, most), error(nil)
		if inPlace {
			err = r.start(put, wait, offset, uintptr(local), part)
		} else {
			err = r.copied(put, offset, local, part)
		}
		if err != nil {
			return err
		}
		offset, n = offset+part, n-part
		if n > 0 {
			local = unsafe.Add(local, part)
		}
	}
	return nil
}

// copied moves a part of Go memory by way of a chunk.
func (r *Remote) copied(put bool, offset uintptr, local unsafe.Pointer, n uintptr) error {
	w := r.p.w
	chunk := w.chunks.take()
	theirs, ours := unsafe.Slice((*byte)(chunk), n), unsafe.Slice((*byte)(local), n)
	if put {
		copy(theirs, ours)
	}
	err := r.start(put, true, offset, uintptr(chunk), n)
	if err == nil && !put {
		copy(ours, theirs)
	}
	if !r.p.stuck {
		w.chunks.give(chunk)
	}
	return err
}

// More than partSize bytes are moved in parts, and no more than backlog bytes and window
// operations are under way to one peer that has not confirmed them: what comes behind has
// to get through, if only to say that we are there; the peer has to answer each of them,
// behind what it asks us for; and UCX is at its worst with long queues. Fewer than window
// would leave TCP's buffers half empty, where much that waits leaves together.
const (
	partSize    = 4 << 20
	backlog     = 4 * partSize
	window      = 4096
	oftenEnough = 16 // operations that are over at once, to a look for answers
)

// start starts an operation, and waits for it if it is to. The lock is held.
func (r *Remote) start(put, wait bool, offset, local, n uintptr) error {
	if err := r.ready(); err != nil {
		return err
	}
	p := r.p
	p.posted++
	if put {
		result := p.w.line.Call(p.w.lib.put, p.ep, local, n, uintptr(r.base)+offset, r.rkey, dl.Addr(p.w.plain))
		return p.finish("put", result, wait, n)
	}
	result := p.w.line.Call(p.w.lib.get, p.ep, local, n, uintptr(r.base)+offset, r.rkey, dl.Addr(p.w.plain))
	return p.finish("get", result, wait, n)
}

// finish deals with what a function has returned that starts to move n bytes.
func (p *Peer) finish(doing string, result uintptr, wait bool, n uintptr) error {
	switch {
	case result == 0:
		if p.posted%oftenEnough == 0 {
			p.w.goOn() // who starts much does not leave the answers to others
		}
	case failed(result):
		return p.outcome(doing, status(result))
	case wait:
		if err := p.await(context.Background(), doing, result); err != nil {
			return err
		}
	default:
		dl.Call(p.w.lib.free, result) // the library keeps it until it is over
		p.late = true
		p.w.turns++
		p.w.turn()
		p.w.rouse()
	}
	p.loose += max(n, backlog/window)
	return p.bound(doing)
}

// bound waits until there is not too much under way: the peer is asked to confirm each
// half of what may be, and the half before has to be confirmed first.
func (p *Peer) bound(doing string) error {
	if p.loose-p.half < backlog/2 {
		return nil
	}
	if err := p.usable(); err != nil {
		return err
	}
	before := p.kept
	p.half, p.kept = p.loose, dl.Call(p.w.lib.epFlush, p.ep, dl.Addr(p.w.plain))
	if failed(p.kept) {
		result := p.kept
		p.kept = 0
		return p.outcome(doing, status(result))
	}
	if before == 0 {
		return nil
	}
	return p.await(context.Background(), doing, before)
}
