package raw

import "github.com/goshmem/goshmem/internal/ccl"

// Comm is a communicator (ncclComm_t); 0 is none.
type Comm uintptr

// Window is registered memory (ncclWindow_t); 0 is none. It is an address of device memory.
type Window uintptr

// ParamHandle is a parameter of the library (ncclParamHandle_t).
type ParamHandle uintptr

// UniqueID is ncclUniqueId.
type UniqueID = ccl.ID

// DataType is ncclDataType_t.
type DataType = ccl.Type

// The element types.
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
	Float8E4M3 = ccl.Float8E4M3 // 2.24
	Float8E5M2 = ccl.Float8E5M2 // 2.24
)

// RedOp is ncclRedOp_t. From 5 on they are operations of RedOpCreatePreMulSum.
type RedOp = ccl.Op

// The operations.
const (
	Sum  = ccl.Sum
	Prod = ccl.Prod
	Max  = ccl.Max
	Min  = ccl.Min
	Avg  = ccl.Avg
)

// Result is ncclResult_t.
type Result = ccl.Code

// The results.
const (
	Success         = ccl.Success
	UnhandledCUDA   = ccl.UnhandledCUDA
	System          = ccl.System
	Internal        = ccl.Internal
	InvalidArgument = ccl.InvalidArgument
	InvalidUsage    = ccl.InvalidUsage
	Remote          = ccl.Remote
	InProgress      = ccl.InProgress
	Timeout         = ccl.Timeout // 2.30.3
)

// Error is what the library has answered.
type Error = ccl.Error

// The errors that errors.Is finds.
var (
	ErrUnhandledCUDA   = ccl.ErrUnhandledCUDA
	ErrSystem          = ccl.ErrSystem
	ErrInternal        = ccl.ErrInternal
	ErrInvalidArgument = ccl.ErrInvalidArgument
	ErrInvalidUsage    = ccl.ErrInvalidUsage
	ErrRemote          = ccl.ErrRemote
	ErrInProgress      = ccl.ErrInProgress
	ErrTimeout         = ccl.ErrTimeout
	ErrUnsupported     = ccl.ErrUnsupported
)

// The flags and other numbers of the header.
const (
	SplitNoColor         = -1
	ShrinkDefault        = 0
	ShrinkAbort          = 1
	SuspendMem           = 1
	WindowDefault        = 0x00
	WindowCollSymmetric  = 0x01 // 2.27
	WindowStrictOrdering = 0x02 // 2.29.7
	WindowGINOnly        = 0x04 // 2.31
	WindowCFTCounted     = 0x08 // 2.32
	WindowAlignment      = 4096
	CTAPolicyDefault     = 0
	CTAPolicyEfficiency  = 1 // 2.27
	CTAPolicyZero        = 2 // 2.28
	ScalarDevice         = 0
	ScalarHostImmediate  = 1
	MemSuspend           = 0
	MemSuspended         = 1
	MemPersist           = 2
	MemTotal             = 3
)
