package ucx

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"github.com/goshmem/goshmem/internal/abi/ucx"
	"github.com/goshmem/goshmem/internal/dl"
)

// Memory is memory that others can reach with its Key.
type Memory struct {
	w      *Worker
	handle uintptr
	at     uintptr
	n      uintptr
	key    []byte
}

// Register makes n bytes at p reachable. It must not be Go memory: only what was mapped
// for this. It has to stay mapped until the Worker is closed, whatever becomes of the
// Memory: where this process does for others what their network cannot, it would die of a
// late put.
func (w *Worker) Register(p unsafe.Pointer, n uintptr) (*Memory, error) {
	return w.mapMemory(ucx.MemMapParams{
		FieldMask: ucx.UCP_MEM_MAP_PARAM_FIELD_ADDRESS | ucx.UCP_MEM_MAP_PARAM_FIELD_LENGTH | ucx.UCP_MEM_MAP_PARAM_FIELD_MEMORY_TYPE,
		Address:   uintptr(p), Length: n, MemoryType: ucx.UCS_MEMORY_TYPE_HOST,
	})
}

// Allocate has UCX map n bytes of memory, zeroed, and makes them reachable. Over shared
// memory this is the only kind that others reach without help.
func (w *Worker) Allocate(n uintptr) (*Memory, error) {
	return w.mapMemory(ucx.MemMapParams{
		FieldMask: ucx.UCP_MEM_MAP_PARAM_FIELD_LENGTH | ucx.UCP_MEM_MAP_PARAM_FIELD_FLAGS | ucx.UCP_MEM_MAP_PARAM_FIELD_MEMORY_TYPE,
		Length:    n, Flags: ucx.UCP_MEM_MAP_ALLOCATE, MemoryType: ucx.UCS_MEMORY_TYPE_HOST,
	})
}

func (w *Worker) mapMemory(params ucx.MemMapParams) (*Memory, error) {
	if params.Length == 0 {
		return nil, fmt.Errorf("ucx: %w: no bytes to register", ErrArgument)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil, fmt.Errorf("ucx: register memory: %w", ErrClosed)
	}
	s := dl.Borrow()
	defer s.Return()
	handle := dl.Out[uintptr](s)
	if st := status(dl.Call(w.lib.memMap, w.context, dl.Addr(dl.In(s, params)), dl.Addr(handle))); st != ucx.UCS_OK {
		return nil, w.lib.refused(fmt.Sprintf("register %d bytes of memory", params.Length), st)
	}
	m := &Memory{w: w, handle: *handle, n: params.Length}
	if err := m.describe(s); err != nil {
		dl.Call(w.lib.memUnmap, w.context, m.handle)
		return nil, err
	}
	w.memories = append(w.memories, m)
	return m, nil
}

// describe finds out where it is, and its key.
func (m *Memory) describe(s *dl.Scratch) error {
	lib := m.w.lib
	attr := dl.In(s, ucx.MemAttr{FieldMask: ucx.UCP_MEM_ATTR_FIELD_ADDRESS})
	if st := status(dl.Call(lib.memQuery, m.handle, dl.Addr(attr))); st != ucx.UCS_OK {
		return lib.refused("ask where memory is", st)
	}
	m.at = attr.Address
	key, length := dl.Out[uintptr](s), dl.Out[uintptr](s)
	if st := status(dl.Call(lib.rkeyPack, m.w.context, m.handle, dl.Addr(key), dl.Addr(length))); st != ucx.UCS_OK {
		return lib.refused("make the key of memory", st)
	}
	where := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, uint64(m.at)), uint64(m.n))
	m.key = seal(keyMark, append(where, dl.Memory(*key, int(*length))...))
	dl.Call(lib.rkeyFree, *key)
	return nil
}

// Key is what a peer's Map takes. It can be sent as it is.
func (m *Memory) Key() []byte { return m.key }

// Base is the address of the memory here, which a peer's Map takes as well.
func (m *Memory) Base() uint64 { return uint64(m.at) }

// Bytes are the memory. They are valid until Close, and until the memory is unmapped if
// it was given to Register.
func (m *Memory) Bytes() []byte { return dl.Memory(m.at, int(m.n)) }

// Close makes the memory unreachable, and unmaps what Allocate gave: no peer may use it any
// more. Closing the Worker does it too. Again does nothing.
func (m *Memory) Close() error {
	m.w.mu.Lock()
	defer m.w.mu.Unlock()
	return m.close()
}

func (m *Memory) close() error {
	if m.handle == 0 || m.w.context == 0 {
		return nil
	}
	handle := m.handle
	m.handle = 0
	for i, other := range m.w.memories {
		if other == m {
			m.w.memories = append(m.w.memories[:i], m.w.memories[i+1:]...)
			break
		}
	}
	if st := status(dl.Call(m.w.lib.memUnmap, m.w.context, handle)); st != ucx.UCS_OK {
		return m.w.lib.refused("unmap memory", st)
	}
	return nil
}

// inPlace says whether n bytes at p are registered, and can be used where they are.
func (w *Worker) inPlace(p, n uintptr) bool {
	for _, m := range w.memories {
		if p >= m.at && p-m.at <= m.n && n <= m.n-(p-m.at) {
			return true
		}
	}
	return false
}
