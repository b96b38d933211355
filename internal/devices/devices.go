// Package devices is the list of compiled-in drivers. A vendor's library can be
// initialised once per process only, so every driver is opened once, when it is first
// asked for.
package devices

import (
	"cmp"
	"fmt"
	"os"
	"strconv"
	"sync"

	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/device/host"
	"github.com/goshmem/goshmem/internal/device/vendor"
	"github.com/goshmem/goshmem/internal/env"
)

// Names are the drivers, the best first.
func Names() []string { return []string{"cuda", "hip", "host"} }

// opened has what Open returns for each driver.
var opened = map[string]func() (device.Driver, error){
	"cuda": sync.OnceValues(func() (device.Driver, error) { return vendor.OpenCUDA() }),
	"hip":  sync.OnceValues(func() (device.Driver, error) { return vendor.OpenHIP() }),
	"host": sync.OnceValues(openHost),
}

// Open returns the driver of a name, the same at every call.
func Open(name string) (device.Driver, error) {
	open, ok := opened[name]
	if !ok {
		return nil, fmt.Errorf("%w: there is no driver %q", device.ErrArgument, name)
	}
	return open()
}

// openHost has as many devices as the environment says.
func openHost() (device.Driver, error) {
	text := os.Getenv(env.HostDevices)
	n, err := strconv.Atoi(cmp.Or(text, "1"))
	if err != nil || n < 1 || n > env.MaxHostDevices {
		return nil, fmt.Errorf("%w: %s=%q is not a number of devices from 1 to %d", device.ErrArgument, env.HostDevices, text, env.MaxHostDevices)
	}
	return host.Open(n)
}
