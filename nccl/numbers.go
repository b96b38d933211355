package nccl

import (
	"github.com/goshmem/goshmem/internal/ccl"
)

// DataType is what an element is to a library (ncclDataType_t).
type DataType = ccl.Type

// The element types. Memory of other types, such as int16 and bool, can be moved but not
// combined.
const (
	Int8       = ccl.Int8
	Uint8      = ccl.Uint8
	Int32      = ccl.Int32
	Uint32     = ccl.Uint32
	Int64      = ccl.Int64
	Uint64     = ccl.Uint64
	Float16    = ccl.Float16
	Float32    = ccl.Float32
	Float64    = ccl.Float64
	BFloat16   = ccl.BFloat16
	Float8E4M3 = ccl.Float8E4M3 // NCCL 2.24
	Float8E5M2 = ccl.Float8E5M2 // NCCL 2.24
)

// Op is what reductions do with elements: one of the constants, or [PreMulSum.Op].
type Op int64

// The operations (ncclRedOp_t). Avg is the sum divided by the number of ranks.
const (
	Sum  = Op(ccl.Sum)
	Prod = Op(ccl.Prod)
	Max  = Op(ccl.Max)
	Min  = Op(ccl.Min)
	Avg  = Op(ccl.Avg)
)

// ownerShift is where an Op has the number of the communicator that it belongs to.
const ownerShift = 32

// library is the operation as libraries know it.
func (op Op) library() ccl.Op { return ccl.Op(op & (1<<ownerShift - 1)) }

// UniqueID is what the ranks of a communicator have in common (ncclUniqueId).
type UniqueID = ccl.ID

// Config is what a communicator can be told about itself (ncclConfig_t). Nil and "" leave
// the choice to the library, new(4) sets a number. Fields that the loaded version does not
// know are an error of Init. The library reads the variables of the environment after it.
type Config = ccl.Config

// Properties are what a communicator can do; see [Comm.Properties].
type Properties = ccl.Properties

// NoColor is the color of a rank that gets no communicator of [Comm.Split].
const NoColor = ccl.NoColor

// WindowFlags say what a window is for; see [Comm.NewWindow].
type WindowFlags = ccl.WindowFlags

// The flags of windows.
const (
	WindowSymmetric = ccl.WindowSymmetric // all ranks register memory at the same place of an allocation
	WindowStrict    = ccl.WindowStrict    // signals are ordered after what was put before (NCCL 2.29.7)
)

// MemoryStat is a number about the memory of a communicator; see [Comm.Memory].
type MemoryStat = ccl.MemoryStat

// The numbers.
const (
	MemorySuspendable = ccl.MemorySuspendable // what Suspend could give back
	MemorySuspended   = ccl.MemorySuspended   // 1: it is suspended
	MemoryPersistent  = ccl.MemoryPersistent  // what stays
	MemoryTotal       = ccl.MemoryTotal
)
