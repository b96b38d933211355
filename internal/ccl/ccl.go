// Package ccl is the seam between package nccl and what does its collectives: NCCL or
// RCCL, or the host library where there is no GPU. What package nccl promises its users
// is built on a Library; what a Library gets has been checked, so that all libraries
// refuse the same things.
//
// Addresses, counts and handles are plain numbers, and a Call is passed by value: nothing
// on the way to a library costs an allocation.
package ccl

import (
	"runtime"
	"time"

	"github.com/goshmem/goshmem/internal/device"
)

// Device is where the memory and the streams of a communicator are.
type Device struct {
	Driver device.Driver
	Index  int
}

// ID is what the ranks of a communicator have in common (ncclUniqueId). Libraries put in
// what they like.
type ID [128]byte

// Library makes communicators. Its methods may be called from any goroutine. Errors are
// *Error, or ErrInProgress.
//
// Between GroupStart and GroupEnd the caller holds its thread, and only calls made from
// this thread belong to the group: Thread tells them apart. Groups nest; the work is done
// when the outermost one ends.
type Library interface {
	// Name is "nccl", "rccl" or "host".
	Name() string
	// Version is what the library says about itself, as ncclGetVersion codes it: 22809.
	Version() int
	// Path is the file that was loaded; "" for none.
	Path() string
	// Lacks says why calls of a kind are not possible; nil if they are.
	Lacks(k Kind) error

	// UniqueID makes an id, on one rank; all others get it by other ways. What serves it
	// lives as long as the process.
	UniqueID() (ID, error)
	// Init makes the communicator of one rank. All ranks call it, those of one process in
	// one group or on several goroutines. The result may still be in progress.
	Init(spec Init) (Comm, error)

	GroupStart() error
	// GroupEnd starts what was called since GroupStart. After an error of a call in
	// between it returns that error. It may return ErrInProgress: then each of the
	// communicators tells by AsyncError when it is ready.
	GroupEnd() error
	// GroupSimulate ends a group without doing its work, and estimates the time of the last
	// collective in microseconds; negative if it is not known.
	GroupSimulate() (microseconds float64, err error)
}

// Init says what communicator to make.
type Init struct {
	Device Device
	Rank   int
	Size   int
	IDs    []ID // at least one; several where the library can use them
	Config *Config
	Grow   bool // this rank joins the communicator that others grow; IDs has the id of Grower.GrowID
	// Timeout bounds what the library waits for by itself, where nobody could end the wait. 0:
	// as long as the library likes.
	Timeout time.Duration
}

// Comm is the communicator of one rank. One goroutine uses it at a time, but AsyncError
// and Abort may be called meanwhile. While AsyncError says ErrInProgress nothing else but
// these two may be called. Errors are as those of Library.
type Comm interface {
	// Do enqueues a call on its stream, or adds it to the group that is open on this
	// thread. It may return ErrInProgress, as GroupEnd does. It must not keep c, which may be
	// on a stack.
	Do(c *Call) error
	// AsyncError is nil, ErrInProgress, or what went wrong since the last call.
	AsyncError() error
	// Rank, Size and Index, the number of the device, are known when the communicator is ready.
	Rank() (int, error)
	Size() (int, error)
	Index() (int, error)

	// Split is called by all ranks: those of the same color, which is not negative, get a
	// communicator, ordered by key and then by rank. NoColor gets none: nil. A nil config is
	// that of the parent. What Split, Shrink and Grow return may still be in progress; while
	// it is, so is this communicator.
	Split(color, key int, config *Config) (Comm, error)
	// Finalize completes what was called; ready when AsyncError says so.
	Finalize() error
	// Destroy gives all resources back; it may wait for other ranks of this process.
	// Afterwards the communicator must not be used, whatever was returned.
	Destroy() error
	// Abort ends what is under way, and gives all resources back. Afterwards as Destroy.
	Abort() error
}

// NoColor is the color of a rank that gets no communicator.
const NoColor = -1

// Enter holds the goroutine's thread, and makes the device current on it where libraries
// look for that, until Leave gets what Enter returned.
func (d Device) Enter() (before uintptr, err error) {
	if c, ok := d.Driver.(device.Current); ok {
		return c.Enter(d.Index)
	}
	runtime.LockOSThread()
	return 0, nil
}

// Leave gives the thread back as it was.
func (d Device) Leave(before uintptr) {
	if c, ok := d.Driver.(device.Current); ok {
		c.Leave(d.Index, before)
		return
	}
	runtime.UnlockOSThread()
}
