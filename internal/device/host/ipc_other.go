//go:build !linux

package host

import "github.com/goshmem/goshmem/internal/device"

func (d *Driver) export(dev int, _ *block) (device.IPCHandle, error) {
	return device.IPCHandle{}, fail(dev, "Export", device.ErrUnsupported, "memory is shared between processes on Linux only")
}

func (d *Driver) mapped(dev int, _ device.IPCHandle) (*block, error) {
	return nil, fail(dev, "Import", device.ErrUnsupported, "memory is shared between processes on Linux only")
}
