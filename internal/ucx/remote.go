package ucx

import (
	"fmt"
	"unsafe"

	"github.com/goshmem/goshmem/internal/abi/ucx"
	"github.com/goshmem/goshmem/internal/dl"
)

// Remote is a peer's memory. Offsets are bytes from its base.
type Remote struct {
	p    *Peer
	rkey uintptr
	base uint64
}

// Map makes a peer's memory usable, of which it has sent the key and the base. It does
// not wait.
func (p *Peer) Map(key []byte, base uint64) (*Remote, error) {
	data, err := unseal("a key of "+p.name, key)
	if err != nil {
		return nil, err
	}
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
	r := &Remote{p: p, rkey: *rkey, base: base}
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
		r.rkey = 0
	}
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
	if n == 0 {
		return nil
	}
	w := r.p.w
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.inPlace(uintptr(local), n) {
		return r.start(put, wait, offset, uintptr(local), n)
	}
	for n > 0 {
		part := min(n, chunkSize)
		if err := r.copied(put, offset, local, part); err != nil {
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
	w.chunks.give(chunk)
	return err
}

// start starts an operation, and waits for it if it is to. The lock is held.
func (r *Remote) start(put, wait bool, offset, local, n uintptr) error {
	if err := r.ready(); err != nil {
		return err
	}
	p := r.p
	p.posted++
	if put {
		result := dl.Call(p.w.lib.put, p.ep, local, n, uintptr(r.base)+offset, r.rkey, dl.Addr(p.w.plain))
		return p.finish("put", result, wait)
	}
	result := dl.Call(p.w.lib.get, p.ep, local, n, uintptr(r.base)+offset, r.rkey, dl.Addr(p.w.plain))
	return p.finish("get", result, wait)
}

// finish deals with what a function that starts something has returned.
func (p *Peer) finish(doing string, result uintptr, wait bool) error {
	switch {
	case result == 0:
		return nil
	case failed(result):
		return p.outcome(doing, status(result))
	case wait:
		return p.await(doing, result)
	}
	p.loose = true
	dl.Call(p.w.lib.free, result) // the library keeps it until it is over
	p.w.rouse()
	return nil
}
