// Package host is the library of collectives for machines without a GPU: what NCCL does,
// over the memory and the streams of platform host. The ranks are processes of one machine,
// or goroutines.
//
// A communicator is a world of the host engine with a very small heap. Its members meet at
// the gate of the world; memory of the platform is mapped by all of them and read in place,
// other memory passes through rooms. All ranks combine the same elements in the same order,
// so results have the same bits everywhere.
package host

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/goshmem/goshmem/internal/ccl"
	"github.com/goshmem/goshmem/internal/device"
	devicehost "github.com/goshmem/goshmem/internal/device/host"
	"github.com/goshmem/goshmem/internal/engine"
)

const (
	name    = "host"
	version = 23007 // the NCCL whose calls there are
)

// Exchange is how the ranks of a communicator find each other, until they have shared
// memory.
type Exchange interface {
	engine.Exchange
	Close() error
}

// Place is where a rank meets the others of its communicator.
type Place struct {
	Name       string // the same for all ranks, and for no other communicator
	Token      string // a secret of theirs
	Address    string // of the rendezvous, which rank 0 serves
	Rank, Size int
}

// Meet returns when all ranks of a place have called it.
type Meet func(ctx context.Context, p Place) (Exchange, error)

// Library makes communicators. There is one for all ranks of a process.
type Library struct {
	meet    Meet
	timeout time.Duration // of waits that nobody ends, unless Init says another one
	nonce   [16]byte      // tells libraries of one process apart, in tests
	staged  bool          // nothing is read in place: for tests

	locals  locals
	maps    maps
	streams streams

	mu     sync.Mutex
	groups map[int]*group // by thread
	many   atomic.Int32   // groups
}

var _ ccl.Library = (*Library)(nil)

// New returns a library whose ranks find each other by meet. Work in streams waits for other
// ranks until the communicator ends; other waits that nobody could end have timeout, unless
// Init says another one.
func New(meet Meet, timeout time.Duration) (*Library, error) {
	l := &Library{meet: meet, timeout: timeout, groups: map[int]*group{}}
	return l, random(l.nonce[:])
}

// Name is "host".
func (l *Library) Name() string { return name }

// Version is that of the NCCL whose calls there are.
func (l *Library) Version() int { return version }

// Path is "": nothing is loaded.
func (l *Library) Path() string { return "" }

// Lacks is nil: all calls are possible.
func (l *Library) Lacks(ccl.Kind) error { return nil }

// Alloc gives memory that all ranks read in place, as all memory of the platform.
func (l *Library) Alloc(d ccl.Device, bytes uintptr) (uintptr, error) {
	p, err := d.Driver.Alloc(d.Index, bytes)
	return uintptr(p), err
}

// Free gives memory of Alloc back.
func (l *Library) Free(d ccl.Device, addr uintptr) error {
	return d.Driver.Free(d.Index, device.Ptr(addr))
}

// driver is the one that collectives can work with.
func driver(d ccl.Device) (*devicehost.Driver, error) {
	drv, ok := d.Driver.(*devicehost.Driver)
	if !ok {
		return nil, ccl.Unsupported(callInit, "the host library works on platform host, not on %s", d.Driver.Name())
	}
	return drv, nil
}
