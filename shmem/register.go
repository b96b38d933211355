package shmem

import (
	"slices"
	"unsafe"
)

// region is registered memory: [at, at+n).
type region struct {
	at, n uintptr
	mem   unsafe.Pointer // keeps it alive
}

// Register makes ordinary memory known as the local side of transfers, so that an
// engine can prepare it once instead of for every transfer. It is never needed, and
// never makes memory a target of other PEs. The memory stays alive until it is
// unregistered. Empty memory and memory that overlaps with registered one are
// errors. Local. rocSHMEM: rocshmem_buffer_register.
func Register[T any](w *World, mem []T) error {
	if w == nil {
		return noWorld("register")
	}
	p := unsafe.Pointer(unsafe.SliceData(mem))
	return fail(w, "register", noPeer, w.register(region{uintptr(p), uintptr(len(mem)) * sizeOf[T](), p}))
}

func (w *World) register(r region) error {
	if r.n == 0 {
		return problem(ErrArgument, "the memory is empty")
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.state.Load() != live {
		return w.gone()
	}
	for _, other := range w.regions {
		if r.at < other.at+other.n && other.at < r.at+r.n {
			return problem(ErrArgument, "%d bytes at %#x overlap with %d registered bytes at %#x", r.n, r.at, other.n, other.at)
		}
	}
	w.regions = append(w.regions, r)
	return nil
}

// Unregister forgets what Register was told, given memory that begins at the same
// place. Local. rocSHMEM: rocshmem_buffer_unregister.
func Unregister[T any](w *World, mem []T) error {
	if w == nil {
		return noWorld("unregister")
	}
	return fail(w, "unregister", noPeer, w.unregister(uintptr(unsafe.Pointer(unsafe.SliceData(mem)))))
}

func (w *World) unregister(at uintptr) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	i := slices.IndexFunc(w.regions, func(r region) bool { return r.at == at })
	if i < 0 {
		return problem(ErrArgument, "no registered memory begins at %#x", at)
	}
	w.regions = slices.Delete(w.regions, i, i+1)
	return nil
}

// UnregisterAll forgets all registered memory. Local. rocSHMEM:
// rocshmem_buffer_unregister_all.
func (w *World) UnregisterAll() error {
	if w == nil {
		return noWorld("unregister all")
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.regions = nil
	return nil
}
