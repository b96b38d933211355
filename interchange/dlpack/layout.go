package dlpack

import "github.com/goshmem/goshmem/interchange"

// The version of DLPack that exports say they are of; imports of its major version are
// understood.
const (
	major = 1
	minor = 1
)

// Flags of a versioned record.
const readOnly = 1 << 0

// tensor is DLTensor, 48 bytes. Addresses are numbers: this is not Go memory.
type tensor struct {
	data       uintptr
	device     interchange.Device
	ndim       int32
	dtype      interchange.Type
	shape      uintptr
	strides    uintptr // 0: compact
	byteOffset uint64
}

// managed is DLManagedTensor, 64 bytes.
type managed struct {
	tensor  tensor
	context uintptr
	deleter uintptr
}

// versioned is DLManagedTensorVersioned, 80 bytes. Up to flags, no later version of
// DLPack will change it.
type versioned struct {
	major, minor uint32
	context      uintptr
	deleter      uintptr
	flags        uint64
	tensor       tensor
}
