//go:build !linux

package host

import "github.com/goshmem/goshmem/internal/device"

// Whole has no answer here: memory is Go's own.
func (d *Driver) Whole() (h device.IPCHandle, base, size uintptr, err error) {
	_, err = d.export(-1, nil)
	return h, 0, 0, err
}

// MapWhole maps nothing here.
func (d *Driver) MapWhole(device.IPCHandle) (base uintptr, release func() error, err error) {
	_, err = d.mapped(-1, device.IPCHandle{})
	return 0, nil, err
}
