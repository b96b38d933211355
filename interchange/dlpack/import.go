package dlpack

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/goshmem/goshmem/interchange"
	"github.com/goshmem/goshmem/internal/dl"
	"github.com/goshmem/goshmem/internal/mem"
)

// Imported is memory of somebody else, as a DLPack record lends it. Array may be used
// until Close; its Owner is the Imported.
type Imported struct {
	Array   interchange.Array
	record  uintptr
	deleter uintptr
	closed  atomic.Bool
}

// Import takes over the DLPack record at address: a DLManagedTensorVersioned of major
// version 1, or the older DLManagedTensor; the address must hold what it is said to.
// From this call on the record is this package's to delete, also if there is an error:
// then it has been deleted, unless the address cannot be one. A capsule of Python that
// held it has to be renamed ("used_dltensor", "used_dltensor_versioned"). Errors:
// another version, and what Validate finds.
func Import(address uintptr, versioned bool) (*Imported, error) {
	if address == 0 || address%8 != 0 {
		return nil, fmt.Errorf("dlpack: import: no record is at address %#x", address)
	}
	im := &Imported{record: address}
	read := im.readManaged
	if versioned {
		read = im.readVersioned
	}
	err := read()
	if im.deleter != 0 && deleterAt == 0 { // the same systems
		return nil, errors.New("dlpack: import: C functions are called on Linux with amd64 and arm64 only: the record was not deleted")
	}
	if err == nil {
		err = im.Array.Validate()
	}
	if err != nil {
		return nil, errors.Join(err, im.Close())
	}
	im.Array.Owner = im
	return im, nil
}

func (im *Imported) readManaged() error {
	m := mem.At[managed](im.record, 1)[0]
	im.deleter = m.deleter
	return im.describe(m.tensor)
}

func (im *Imported) readVersioned() error {
	v := &mem.At[versioned](im.record, 1)[0]
	im.deleter = v.deleter
	if v.major != major { // what comes after the flags may be anything
		return fmt.Errorf("dlpack: import: a record of DLPack %d.%d: %d is understood", v.major, v.minor, major)
	}
	im.Array.ReadOnly = v.flags&readOnly != 0
	return im.describe(v.tensor)
}

// describe copies what the record says.
func (im *Imported) describe(t tensor) error {
	if t.ndim < 0 || t.ndim > interchange.MaxDims || (t.ndim > 0 && t.shape == 0) {
		return fmt.Errorf("dlpack: import: %d dimensions with the shape at %#x: from 0 to %d are understood", t.ndim, t.shape, interchange.MaxDims)
	}
	a := &im.Array
	a.Device, a.Type = t.device, t.dtype
	a.Shape = []int64{}
	if t.ndim > 0 {
		a.Shape = slices.Clone(mem.At[int64](t.shape, int(t.ndim)))
	}
	if t.ndim > 0 && t.strides != 0 {
		a.Strides = slices.Clone(mem.At[int64](t.strides, int(t.ndim)))
	}
	if t.data != 0 {
		a.Pointer = t.data + uintptr(t.byteOffset)
	}
	return nil
}

// Close gives the memory back: it calls the producer's deleter, if there is one. Array
// must not be used any more, and work on it must be done. More than once does no harm:
// the deleter is called once. The error is always nil.
func (im *Imported) Close() error {
	if !im.closed.Swap(true) && im.deleter != 0 {
		dl.Call(im.deleter, im.record)
	}
	return nil
}
