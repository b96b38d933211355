package gpu

import "github.com/goshmem/goshmem/internal/device"

func openCUDA() (device.Driver, error) {
	return nil, problem(ErrNoDevice, "no driver of this vendor is built in")
}

func openHIP() (device.Driver, error) {
	return nil, problem(ErrNoDevice, "no driver of this vendor is built in")
}

// build compiles a program for the device's architecture.
func (d *Device) build(p Program) ([]byte, error) {
	return nil, problem(ErrUnsupported, "no run-time compiler is built in")
}
