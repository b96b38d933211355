// Package vendor drives GPUs through CUDA's driver API or through HIP. There is one
// implementation for both: what it calls is named by operation, and a dialect has the
// few places in which they differ. So what ran on one vendor's device is what runs on
// the other's.
package vendor

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/goshmem/goshmem/internal/abi"
	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/dl"
)

// driver is a loaded library.
type driver struct {
	dialect
	lib     *dl.Library
	version string
	fn      [abi.Ops]uintptr // 0: this version lacks it
	names   [abi.Ops]string
	devices []home
	fault   atomic.Pointer[device.Error] // the first one

	// images are what modules were made from: a library may go on reading them.
	imagesMu sync.Mutex
	images   map[device.Handle][]byte
}

// open loads and starts the library.
func open(v dialect) (device.Driver, error) {
	lib, _, err := dl.Open(v.spec)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", device.ErrUnsupported, err)
	}
	d := &driver{dialect: v, lib: lib, version: lib.Version(), images: map[device.Handle][]byte{}}
	if err := d.bind(); err != nil {
		return nil, err
	}
	if err := d.start(); err != nil {
		return nil, err
	}
	return d, nil
}

// bind finds the functions. Of several names the first one that there is counts.
func (d *driver) bind() error {
	for _, b := range d.bindings {
		var missing error
		for _, name := range b.Names {
			addr, err := d.lib.Lookup(name)
			if err == nil {
				d.fn[b.Op], d.names[b.Op] = addr, name
				break
			}
			missing = err
		}
		if d.fn[b.Op] != 0 {
			continue
		}
		d.names[b.Op] = b.Names[0]
		if b.Since == "" {
			return fmt.Errorf("%w: %w", device.ErrUnsupported, missing)
		}
	}
	return nil
}

// start initialises the library and counts its devices.
func (d *driver) start() error {
	s := session{d: d, dev: -1}
	if err := s.call(abi.OpInit, 0); err != nil {
		// without a device HIP 5.2 says "invalid device" here, and the reason when it counts
		if _, counted := s.word(abi.OpCount); errors.Is(counted, device.ErrNoDevice) {
			return counted
		}
		return err
	}
	version, err := s.word(abi.OpVersion)
	if err != nil {
		return err
	}
	word, err := s.word(abi.OpCount)
	if err != nil {
		return err
	}
	count := int32(word)
	if count < 1 {
		return &device.Error{Driver: d.name, Device: -1, Call: d.names[abi.OpCount],
			Name: "no device", Text: "the library works and counts none", Err: device.ErrNoDevice}
	}
	d.adapt(&d.dialect, int32(version))
	d.devices = make([]home, count)
	return nil
}

// Name is "cuda" or "hip".
func (d *driver) Name() string { return d.name }

// Version is that of the library.
func (d *driver) Version() string { return d.version }

// Library is the file that was loaded.
func (d *driver) Library() string { return d.lib.Path() }

// Count is the number of devices.
func (d *driver) Count() int { return len(d.devices) }
