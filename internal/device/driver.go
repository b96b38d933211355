// Package device is the seam between package gpu and the ways of driving a device: a
// vendor's library, or goroutines where there is no GPU. What package gpu promises its
// users is built on a Driver; what a Driver gets has been checked.
//
// Addresses, handles and sizes are plain numbers: memory of a device is never Go
// memory, and a number in an interface costs no allocation.
package device

import (
	"time"
	"unsafe"
)

// Ptr is an address of device memory, of pinned host memory, or of an import of either.
type Ptr uintptr

// Handle is a stream, event, module, function, graph or executable graph of a driver.
// Zero is the default stream, and no valid handle of anything else.
type Handle uintptr

// Driver drives the devices of one platform. All methods may be called from any
// goroutine; those that enter a library hold the thread and restore its current device.
// Nothing waits for the device unless it says so. Errors are *Error, or say why there
// is no such ability here by wrapping ErrUnsupported.
type Driver interface {
	// Name is "host", "cuda" or "hip".
	Name() string
	// Version is what the runtime says about itself, for reports.
	Version() string
	// Library is the file that was loaded; "" for none.
	Library() string
	// Count is the number of devices that this process may use, at least 1.
	Count() int

	Devices
	Memory
	Streams
	Events
	Kernels
	Graphs
}

// Devices tells about devices, which are numbered from 0.
type Devices interface {
	Properties(dev int) (Properties, error)
	// MemoryInfo returns the bytes of device memory that are free and that there are.
	MemoryInfo(dev int) (free, total uint64, err error)
	// Peer says what dev can do with the memory of peer.
	Peer(dev, peer int) (PeerAccess, error)
	// EnablePeer lets dev load and store memory of peer; more than once does no harm.
	EnablePeer(dev, peer int) error
}

// PeerAccess is what one device can do with another's memory.
type PeerAccess struct {
	Access  bool // loads and stores, after EnablePeer
	Atomics bool // atomics of the other's kernels hold against its own
}

// Properties describe a device.
type Properties struct {
	Name         string
	Arch         string // what compilers call it: "sm_90", "gfx942", "host"
	UUID         string // 32 hexadecimal digits in groups, as the vendor's tools print it
	PCI          string // domain:bus:device.function, "" if there is none
	Memory       uint64 // bytes
	Processors   int    // multiprocessors, compute units, cores
	WarpSize     int
	MaxThreads   int // per block
	MaxGrid      [3]int
	MaxShared    int  // bytes of shared memory per block, as far as code can declare it
	MaxDynamic   int  // bytes of shared memory per block with what a launch adds to that
	WaitValues   bool // streams can write and wait for 64-bit values
	Integrated   bool // shares the host's memory
	ClockKHz     int
	ComputeMajor int // compute capability, or the major part of the architecture
	ComputeMinor int
}

// Memory allocates and moves.
type Memory interface {
	// Alloc gives n bytes of device memory; n > 0. They have no defined contents.
	Alloc(dev int, n uintptr) (Ptr, error)
	Free(dev int, p Ptr) error
	// AllocPinned gives host memory that devices can reach. Go may load and store it.
	AllocPinned(dev int, n uintptr) (Ptr, error)
	FreePinned(dev int, p Ptr) error
	// HostReach says whether Go may load and store device memory by its address.
	HostReach() bool

	// Copy copies n bytes between device or pinned memory, of any devices, in the
	// order of a stream. It returns before that is done.
	Copy(dev int, dst, src Ptr, n uintptr, stream Handle) error
	// CopyIn and CopyOut copy from and to Go memory, and wait until that is done. They are
	// ordered after what is in the stream.
	CopyIn(dev int, dst Ptr, src unsafe.Pointer, n uintptr, stream Handle) error
	CopyOut(dev int, dst unsafe.Pointer, src Ptr, n uintptr, stream Handle) error
	// Fill sets n elements of width 1, 2 or 4 bytes to value, in the order of a stream.
	Fill(dev int, p Ptr, value uint32, width int, n uintptr, stream Handle) error

	// Export makes a name of an allocation under which another process of this machine
	// can import it.
	Export(dev int, p Ptr) (IPCHandle, error)
	// Import maps an allocation of another process. It must be given back by CloseImport.
	Import(dev int, h IPCHandle) (Ptr, error)
	CloseImport(dev int, p Ptr) error
	// Attributes says whose memory an address is, if the driver knows it.
	Attributes(p Ptr) (Attributes, error)
}

// IPCHandle names an allocation for other processes.
type IPCHandle [64]byte

// Attributes are what a driver knows of an address.
type Attributes struct {
	Known  bool // false: not memory of this driver
	Device int  // -1: pinned host memory of no device
	Pinned bool // host memory
	Base   Ptr  // where the allocation starts
	Size   uintptr
}

// Streams are queues of work of a device.
type Streams interface {
	// NewStream makes a stream that does not wait for the default one. A lower priority
	// number is served first; 0 is the normal one; it is clamped to what there is.
	NewStream(dev, priority int) (Handle, error)
	// Priorities are the numbers that make a difference.
	Priorities(dev int) (least, greatest int, err error)
	// DestroyStream lets what is queued run to its end.
	DestroyStream(dev int, s Handle) error
	// StreamDone says whether all that was queued is done. It brings faults of it.
	StreamDone(dev int, s Handle) (bool, error)
	// StreamWait has later work wait for an event.
	StreamWait(dev int, s, event Handle) error
	// WriteValue stores v at p when the work before it is done; p is a multiple of 8.
	WriteValue(dev int, s Handle, p Ptr, v uint64) error
	// WaitValue has later work wait until the word at p compares so with v.
	WaitValue(dev int, s Handle, p Ptr, v uint64, c Compare) error
}

// Compare is how a stream compares the word that it waits for.
type Compare int

const (
	CompareGE  Compare = iota // word-v, as a signed number, is not negative
	CompareEQ                 // word == v
	CompareAnd                // word & v is not 0
)

// Events mark places in streams.
type Events interface {
	// NewEvent makes an event; one without timing is cheaper.
	NewEvent(dev int, timing bool) (Handle, error)
	DestroyEvent(dev int, e Handle) error
	// Record has the event happen when the work that is in the stream is done.
	Record(dev int, e, s Handle) error
	// EventDone says whether the event has happened; one never recorded has.
	EventDone(dev int, e Handle) (bool, error)
	// Elapsed is the time between two events with timing that have happened.
	Elapsed(dev int, from, to Handle) (time.Duration, error)
}

// Kernels loads and starts code.
type Kernels interface {
	// LoadModule loads a cubin, PTX, or code object. The image may be reused.
	LoadModule(dev int, image []byte) (Handle, error)
	UnloadModule(dev int, m Handle) error
	// Function finds a kernel by its name.
	Function(dev int, m Handle, name string) (Handle, error)
	// FunctionInfo tells what a kernel needs and takes.
	FunctionInfo(dev int, f Handle) (FunctionInfo, error)
	// AllowShared lets launches of a kernel have up to so many bytes of dynamic shared
	// memory, where more than MaxShared in all has to be asked for.
	AllowShared(dev int, f Handle, bytes int) error
	// Launch starts a kernel in a stream. The arguments are read before it returns.
	Launch(dev int, f Handle, l *Launch, stream Handle) error
}

// FunctionInfo is what a driver knows of a kernel.
type FunctionInfo struct {
	MaxThreads int // per block
	Registers  int // per thread
	Shared     int // bytes of static shared memory
	Local      int // bytes per thread
	// Params are the sizes of its parameters in order, nil if the driver does not know.
	Params []uintptr
}

// Launch is the shape of a launch, and where its arguments are.
type Launch struct {
	Grid, Block [3]uint32
	Shared      uint32 // bytes of dynamic shared memory
	Args        []unsafe.Pointer
}

// Graphs records work to replay it.
type Graphs interface {
	// BeginCapture has later work of a stream recorded instead of done.
	BeginCapture(dev int, s Handle) error
	// Capturing says whether work of a stream is recorded. False where it cannot be asked.
	Capturing(dev int, s Handle) (bool, error)
	// EndCapture returns what was recorded, ready to be launched.
	EndCapture(dev int, s Handle) (Handle, error)
	LaunchGraph(dev int, g, s Handle) error
	DestroyGraph(dev int, g Handle) error
}
