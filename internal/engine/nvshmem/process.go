package nvshmem

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/goshmem/goshmem/internal/abi"
	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/devices"
	"github.com/goshmem/goshmem/internal/dl"
	"github.com/goshmem/goshmem/internal/engine"
)

// process is what there is once per process: the driver, and a library that can be
// initialised once.
type process struct {
	driver  func() (device.Driver, error)
	spec    func() dl.Spec
	compile func(arch, driver string) ([]byte, error) // our kernels
	used    atomic.Bool
}

var own = process{
	driver:  func() (device.Driver, error) { return devices.Open("cuda") },
	spec:    abi.NVSHMEM,
	compile: compile,
}

// errUsed is why a second world in a process is refused.
var errUsed = errors.New("nvshmem: this process has initialised NVSHMEM before, which the library can do once only: open the world in a new process")

// probe says whether a world could be opened.
func (p *process) probe() engine.Verdict {
	d, err := p.driver()
	if err != nil {
		return engine.Verdict{Reason: err.Error()}
	}
	lib, err := load(p.spec(), nil)
	if err != nil {
		return engine.Verdict{Reason: err.Error()}
	}
	if p.used.Load() {
		return engine.Verdict{Reason: errUsed.Error()}
	}
	return engine.Verdict{OK: true, Reason: fmt.Sprintf("NVSHMEM %s (%s) with %d devices of %s", lib.version, lib.lib.Path(), d.Count(), d.Name())}
}
