package gpu

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/goshmem/goshmem/internal/env"
)

// Open returns the device of a name such as "cuda:0", "hip:1" or "host"; without a
// number it is the first. Every call returns the same value for the same device.
// Errors: ErrNoDevice, with what was tried and what there is; ErrArgument for a name
// that is none. The first call for a platform loads its library and initialises it. CUDA:
// cuDeviceGet; HIP: hipDeviceGet.
func Open(name string) (*Device, error) {
	d, err := open(name)
	if err != nil {
		return nil, &Error{Op: "open " + strconv.Quote(name), Err: err}
	}
	return d, nil
}

func open(name string) (*Device, error) {
	on, number, numbered := strings.Cut(name, ":")
	index, err := strconv.Atoi(number)
	if numbered && (err != nil || index < 0) {
		return nil, problem(ErrArgument, "the part behind the colon is not a device number: write cuda:0")
	}
	p, err := find(on)
	switch {
	case err != nil && p == nil:
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%w; %s", p.absence(err), present())
	case index >= len(p.devices):
		return nil, beyond(p, index)
	}
	return p.devices[index], nil
}

// absence is the error of a platform that cannot be opened. One without devices may have
// been left without by a mask.
func (p *platform) absence(err error) error {
	if why := Masks(p.name); why != "" && errors.Is(err, ErrNoDevice) {
		err = fmt.Errorf("%w: %s", err, why)
	}
	return absent{err}
}

// beyond is the error of a number that is too large, which is often the work of a mask.
func beyond(p *platform, index int) error {
	text := fmt.Sprintf("there are %d devices, numbered from 0, and none is %d", len(p.devices), index)
	if len(p.devices) == 1 {
		text = fmt.Sprintf("there is one device, number 0, and none is %d", index)
	}
	if p.name == "host" {
		text += ": raise " + env.HostDevices
	}
	if why := Masks(p.name); why != "" {
		text += ": " + why
	}
	return problem(ErrNoDevice, "%s", text)
}

// present says which devices can be opened.
func present() string {
	var names []string
	for _, p := range every() {
		if p.ready() != nil {
			continue
		}
		name := p.devices[0].name
		if last := p.devices[len(p.devices)-1]; last.name != name {
			name += " to " + last.name
		}
		names = append(names, name)
	}
	return "there is " + strings.Join(names, ", ")
}

// Best returns the first device of the best platform that can be used: cuda, else hip,
// else host. Platforms tells why the others cannot.
func Best() (*Device, error) {
	for _, p := range every() {
		if p.ready() == nil {
			return p.devices[0], nil
		}
	}
	return open("host") // whose error says why not even that
}

// Devices returns the devices of a platform, in their order. Errors: as Open's. CUDA:
// cuDeviceGetCount; HIP: hipGetDeviceCount.
func Devices(platform string) ([]*Device, error) {
	p, err := find(platform)
	if err != nil && p != nil {
		err = p.absence(err)
	}
	if err != nil {
		return nil, &Error{Op: "devices", Device: platform, Err: err}
	}
	return slices.Clone(p.devices), nil
}
