package vendor

import (
	"github.com/goshmem/goshmem/internal/abi"
	"github.com/goshmem/goshmem/internal/abi/cuda"
	"github.com/goshmem/goshmem/internal/dl"
)

// success is the status of a call that did what it should, with both.
const success = cuda.CUDA_SUCCESS

// dialect is all in which CUDA and HIP differ, but for the names of their functions,
// which are in package abi. The files cuda.go and hip.go have one each.
type dialect struct {
	name     string
	spec     dl.Spec
	bindings []abi.Binding

	contexts   bool // what makes a device current is its context, not its number
	textReturn bool // names of statuses are returned, not stored
	copyKind   bool // OpCopy takes a kind, and
	kind       uintptr
	waitMask   bool // OpWaitValue takes a mask

	notReady, outOfMemory, invalidValue, peerAlready int32
	// meaning gives the kind of a status, nil for one that means nothing to callers.
	meaning func(status int32) error

	attributes attributes
	flags      flags
	memory     memoryTypes
	arch       func(d *driver, dev, major, minor int) (string, error)
	// adapt fills in what depends on the version that the library tells.
	adapt func(d *dialect, version int32)
}

// attributes are the numbers by which a property is asked for; 0 for dynamic and
// funcDynamic: kernels have all shared memory of a block without asking.
type attributes struct {
	processors, warp, threads, gridX, gridY, gridZ, shared, dynamic, waitValues, integrated, clock, major, minor uintptr
	peerAtomics                                                                                                  uintptr
	memoryType, memoryDevice, memoryStart, memorySize                                                            uintptr
	funcThreads, funcShared, funcLocal, funcRegisters, funcDynamic                                               uintptr
}

// flags are those that we pass.
//
// HIP's comparison of a value to wait for is of unsigned numbers, CUDA's of signed ones.
type flags struct {
	pinned, importing, nonBlocking, noTiming, relaxed uintptr
	compare                                           [3]uintptr // by device.Compare
}

// memoryTypes are the kinds of memory that an address can be of.
type memoryTypes struct{ host, device int }
