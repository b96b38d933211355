package gpu

import (
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/devices"
	"github.com/goshmem/goshmem/internal/mask"
)

// Platform is a way of driving devices, as [Platforms] found it.
type Platform struct {
	Name    string // cuda, hip, host
	Version string // what the runtime says about itself
	Library string // the file that was loaded; "" for none
	Devices int    // that this process may use
	Masks   string // what environment variables do to their numbers; "" if none is set
	Err     error  // why the platform cannot be used; nil if it can
}

// String is one line about the platform.
func (p Platform) String() string {
	text := fmt.Sprintf("%s: %d devices, %s", p.Name, p.Devices, p.Version)
	switch {
	case p.Err != nil:
		text = fmt.Sprintf("%s: none (%v)", p.Name, p.Err)
	case p.Devices == 1:
		text = fmt.Sprintf("%s: 1 device, %s", p.Name, p.Version)
	}
	if p.Library != "" {
		text += ", " + p.Library
	}
	if p.Masks != "" {
		text += "; " + p.Masks
	}
	return text
}

// platform is a Platform that is opened once, when it is first asked for.
type platform struct {
	name    string
	open    func() (device.Driver, error)
	once    sync.Once
	driver  device.Driver
	devices []*Device
	err     error
}

// every is all platforms of the process, the best first. A vendor's library can be
// initialised once per process only, and a device is one value.
var every = sync.OnceValue(func() []*platform {
	var list []*platform
	for _, name := range devices.Names() {
		list = append(list, &platform{name: name, open: func() (device.Driver, error) { return devices.Open(name) }})
	}
	return list
})

// ready opens the platform if nobody has yet.
func (p *platform) ready() error {
	p.once.Do(func() {
		p.driver, p.err = p.open()
		if p.err != nil {
			return
		}
		p.devices = make([]*Device, p.driver.Count())
		for i := range p.devices {
			p.devices[i] = newDevice(p, i)
		}
	})
	return p.err
}

func (p *platform) describe() Platform {
	about := Platform{Name: p.name, Masks: Masks(p.name), Err: p.ready()}
	if about.Err == nil {
		about.Version, about.Library, about.Devices = p.driver.Version(), p.driver.Library(), len(p.devices)
	}
	return about
}

// Platforms lists all platforms, the best first, and why those that cannot be used
// cannot. The first call opens vendors' libraries; later ones give the same answer.
// Without a driver or a GPU only host is left.
func Platforms() []Platform {
	var list []Platform
	for _, p := range every() {
		list = append(list, p.describe())
	}
	return list
}

// Masks says which of the variables that hide devices (CUDA_VISIBLE_DEVICES,
// HIP_VISIBLE_DEVICES, ROCR_VISIBLE_DEVICES, GPU_DEVICE_ORDINAL) are set, in the order in
// which they work on a platform, and what they do to the numbers of its devices; "" if
// none is. It opens nothing.
func Masks(platform string) string { return mask.Explain(platform, os.LookupEnv) }

// find returns the platform of a name; with an error too, if it is one that cannot be
// opened.
func find(name string) (*platform, error) {
	var names []string
	for _, p := range every() {
		if p.name == name {
			return p, p.ready()
		}
		names = append(names, p.name)
	}
	return nil, problem(ErrArgument, "no platform is called %q: there are %s", name, strings.Join(names, ", "))
}
