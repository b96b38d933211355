package ccl

// What follows are abilities that not every Library or Comm has: package nccl asks for the
// interface, and for what is absent says ErrUnsupported. A method may say so too, where it
// depends on the version.

// Tuner is the ability of a Library to say what it will not regard: the names of fields
// that are set in a Config and unknown to this version.
type Tuner interface {
	Ignored(c *Config) []string
}

// Allocator is the ability of a Library to allocate memory of a device that it can
// register (ncclMemAlloc).
type Allocator interface {
	Alloc(d Device, bytes uintptr) (uintptr, error)
	Free(d Device, addr uintptr) error
}

// Grower is the ability of a Comm to take in more ranks. Root makes the id; all ranks of
// the communicator call Grow with the new size, root with the id, the others with nil.
// Those that come in use Library.Init.
type Grower interface {
	GrowID() (ID, error)
	Grow(size int, id *ID, config *Config) (Comm, error)
}

// Shrinker is the ability of a Comm to leave ranks out, which do not call. With abort what
// is under way is broken off first. The list is not empty, and is not changed.
type Shrinker interface {
	Shrink(exclude []int, abort bool, config *Config) (Comm, error)
}

// Revoker is the ability of a Comm to end what is under way and still be split or shrunk.
type Revoker interface {
	Revoke() error
}

// Operator is the ability of a Comm to have operations of the user's: each rank's elements
// are multiplied by its scalar, then added up. The scalar is an element of t, as bytes,
// or, if nil, at an address of the device that must be valid while collectives run.
type Operator interface {
	PreMulSum(t Type, scalar []byte, addr uintptr) (Op, error)
	FreeOp(op Op) error
}

// Registrar is the ability of a Comm to know memory beforehand. The handle 0 means that the
// library saw no use in it, and needs no Deregister.
type Registrar interface {
	Register(addr, bytes uintptr) (handle uintptr, err error)
	Deregister(handle uintptr) error
}

// WindowFlags say what a window is for, with NCCL's bits.
type WindowFlags int

// The flags.
const (
	WindowSymmetric WindowFlags = 1 << iota // all ranks register memory of the same kind at the same place
	WindowStrict                            // signals are ordered after what was put before
)

// Windower is the ability of a Comm to register memory with all ranks, which all call with
// the same size.
type Windower interface {
	NewWindow(addr, bytes uintptr, flags WindowFlags) (Window, error)
}

// Window is registered memory. Handle is 0 while the registration is in progress, or a
// group that it belongs to is open; 0 afterwards means that the library saw no use in it.
type Window interface {
	Handle() uintptr
	Close() error
}

// Witness is the ability of a Comm to say more of its work than streams tell. Both may be
// called at any time.
type Witness interface {
	// Failed is why work of this rank has failed or was dropped, nil if none has: a stream that
	// several communicators use tells of one of them only.
	Failed() error
	// Where says in which call all ranks are, and who is absent; "" if it is not known.
	Where() string
}

// Signaller is the ability of a Comm to put into windows of other ranks, and signal it.
type Signaller interface {
	// PutSignal copies count elements to an offset in bytes of peer's part of the window w,
	// which is this rank's own handle, then signals.
	PutSignal(src uintptr, count int, t Type, peer int, w Window, offset uintptr, stream uintptr) error
	Signal(peer int, stream uintptr) error
	// WaitSignals has later work wait until so many signals have come of each peer.
	WaitSignals(peers, counts []int, stream uintptr) error
}

// Suspender is the ability of a Comm to give its device memory back for a time.
type Suspender interface {
	Suspend() error
	Resume() error
	// Memory returns one of NCCL's numbers about it, in bytes.
	Memory(stat MemoryStat) (uint64, error)
}

// MemoryStat is a number about the memory of a communicator, with NCCL's numbers.
type MemoryStat int

// The numbers.
const (
	MemorySuspendable MemoryStat = iota
	MemorySuspended
	MemoryPersistent
	MemoryTotal
)

// Describer is the ability of a Comm to say more of itself.
type Describer interface {
	Properties() (Properties, error)
}

// Properties are what a communicator can do (ncclCommProperties_t).
type Properties struct {
	Rank, Size int
	CUDADevice int
	NVMLDevice int
	DeviceAPI  bool // kernels can call the library
	Multimem   bool // stores to all devices at once
	GIN        int  // how kernels reach the network; 0: not
	RailedGIN  int
	LSATeams   int  // groups of ranks that load and store each other's memory
	HostRMA    bool // PutSignal is possible
}

// Handler is the ability of a Comm to be known to others by a number (ncclComm_t).
type Handler interface{ Handle() uintptr }
