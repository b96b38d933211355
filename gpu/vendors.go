package gpu

import (
	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/device/vendor"
)

func openCUDA() (device.Driver, error) { return vendor.OpenCUDA() }

func openHIP() (device.Driver, error) { return vendor.OpenHIP() }

// build compiles a program for the device's architecture.
func (d *Device) build(p Program) ([]byte, error) {
	return nil, problem(ErrUnsupported, "no run-time compiler is built in")
}
