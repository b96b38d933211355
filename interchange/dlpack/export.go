// Package dlpack exchanges memory with C libraries and Python frameworks in one process:
// [Export] lends what an [interchange.Array] describes to a consumer until that one says it
// is done, [Import] borrows what somebody else lends until [Imported.Close]. A program
// that uses it is linked dynamically, since it may call a producer's C code.
package dlpack

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/goshmem/goshmem/interchange"
	"github.com/goshmem/goshmem/internal/mem"
)

// Exported is a DLPack record that was made for a consumer. It keeps the owner of the
// memory from when it is made until the consumer has called the record's deleter and
// somebody here has noticed: Released, Outstanding and every Export look. It need not be
// kept itself.
type Exported struct {
	at    uintptr // of the slot; 0: let go of
	owner any
}

// Export makes a DLPack record of a, for one consumer: a DLManagedTensorVersioned, or
// the older DLManagedTensor, which cannot say that memory is read-only. The consumer has
// to call the record's deleter exactly once when it is done, from any thread; until then
// the memory must stay as it is described, and what ends it (Free, Close) must not be
// called. Memory of records is used again. Errors: what Validate finds; a read-only
// array unversioned; a system without C calls.
func Export(a interchange.Array, versioned bool) (*Exported, error) {
	if err := a.Validate(); err != nil {
		return nil, err
	}
	if a.ReadOnly && !versioned {
		return nil, errors.New("dlpack: an unversioned record cannot say that memory is read-only: export it versioned")
	}
	if deleterAt == 0 {
		return nil, errors.New("dlpack: DLPack records are exported on Linux with amd64 and arm64 only")
	}
	records.Lock()
	defer records.Unlock()
	sweep()
	e := &Exported{at: take(), owner: a.Owner}
	e.write(a, versioned)
	if records.out == nil {
		records.out = map[*Exported]struct{}{}
	}
	records.out[e] = struct{}{}
	return e, nil
}

// write fills the slot.
func (e *Exported) write(a interchange.Array, isVersioned bool) {
	copy(mem.At[int64](e.at+shapeAt, interchange.MaxDims), a.Shape)
	copy(mem.At[int64](e.at+stridesAt, interchange.MaxDims), a.ElementStrides())
	t := tensor{data: a.Pointer, device: a.Device, ndim: int32(len(a.Shape)), dtype: a.Type, shape: e.at + shapeAt, strides: e.at + stridesAt}
	if a.Len() == 0 {
		t.data = 0 // as DLPack wants it
	}
	if !isVersioned {
		mem.At[managed](e.at, 1)[0] = managed{tensor: t, context: e.at, deleter: deleterAt}
		return
	}
	v := versioned{major: major, minor: minor, context: e.at, deleter: deleterAt, tensor: t}
	if a.ReadOnly {
		v.flags = readOnly
	}
	mem.At[versioned](e.at, 1)[0] = v
}

// Address is where the record is, for the consumer: what a PyCapsule named "dltensor"
// or "dltensor_versioned" holds. It stays there until the deleter was called, and is 0
// once that was noticed.
func (e *Exported) Address() uintptr {
	records.Lock()
	defer records.Unlock()
	return e.at
}

// Released says whether the record is done with: its consumer has called the deleter,
// or it was cancelled. The memory is the owner's alone again.
func (e *Exported) Released() bool {
	records.Lock()
	defer records.Unlock()
	return e.settle()
}

// Cancel takes back a record that no consumer took, and will not any more: the deleter
// is nobody else's to call then. Only who handed the address on can know that. It is an
// error if the deleter was called, or Cancel.
func (e *Exported) Cancel() error {
	records.Lock()
	defer records.Unlock()
	if e.at == 0 || !atomic.CompareAndSwapUint64(flag(e.at), 0, 1) {
		e.settle()
		return fmt.Errorf("dlpack: cancel: the record is released already: cancel only what nobody consumed")
	}
	e.settle()
	return nil
}

// Outstanding lets go of what consumers have released, and says how many records they
// still hold.
func Outstanding() int {
	records.Lock()
	defer records.Unlock()
	sweep()
	return len(records.out)
}
