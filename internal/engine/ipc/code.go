package ipc

import "github.com/goshmem/goshmem/internal/device"

// code is the kernels of a device.
type code struct{}

func (p *plane) load() error { return nil }

func blocksFor(d device.Driver) uintptr {
	if d.HostReach() {
		return 2
	}
	return 64
}

func stageFor(d device.Driver) uintptr {
	if d.HostReach() {
		return 16 << 10
	}
	return 256 << 10
}
