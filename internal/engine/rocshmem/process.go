package rocshmem

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"

	"github.com/goshmem/goshmem/internal/abi"
	"github.com/goshmem/goshmem/internal/abi/rocshmem"
	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/devices"
	"github.com/goshmem/goshmem/internal/dl"
	"github.com/goshmem/goshmem/internal/engine"
)

// process is what there is once per process: drivers, the environment, and a library that
// can be started once.
type process struct {
	driver  func(name string) (device.Driver, error)
	spec    func() dl.Spec
	environ func() []string
	used    atomic.Bool
}

var own = process{driver: devices.Open, spec: abi.ROCSHMEM, environ: os.Environ}

// ErrUsed is why a second world in a process is refused.
var ErrUsed = errors.New("rocshmem: this process has started rocSHMEM before, which the library can do once only: open the world in a new process")

// probe says whether a world could be opened, as far as can be said without loading.
func (p *process) probe() engine.Verdict {
	no := func(err error) engine.Verdict { return engine.Verdict{Reason: err.Error()} }
	files := installed(p.spec())
	if len(files) == 0 {
		return no(fmt.Errorf("no shim over rocSHMEM (%s) is installed: build it from native/rocshmem, and set ROCSHMEM_HOME or %s", rocshmem.Soname, p.spec().PathVar))
	}
	if p.used.Load() {
		return no(ErrUsed)
	}
	if _, err := readSettings(p.environ()); err != nil {
		return no(err)
	}
	if _, err := p.driver("hip"); err != nil && !standIn(files[0]) {
		return no(err)
	}
	return engine.Verdict{OK: true, Reason: "the shim is " + strings.Join(files, " or ")}
}

// installed are the files of the shim: the one that was asked for, or all that may be found.
func installed(spec dl.Spec) []string {
	asked := cmp.Or(spec.Path, os.Getenv(spec.PathVar))
	if asked == "" {
		return dl.Copies(spec)
	}
	if _, err := os.Stat(asked); err != nil {
		return nil
	}
	return []string{asked}
}

// standIn says whether a shim is one for tests, which needs no GPU.
func standIn(file string) bool {
	data, err := os.ReadFile(file)
	return err == nil && bytes.Contains(data, []byte("\ngpus=host\n"))
}

// load opens the shim with the variables that the library reads, and the driver for it.
func (p *process) load(size uintptr) (*rocshmem.Library, device.Driver, error) {
	if err := os.Setenv(heapVar, fmt.Sprint(size)); err != nil { // whatever it was, it is the engine's now
		return nil, nil, err
	}
	lib, err := rocshmem.Open(p.spec())
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", device.ErrUnsupported, err)
	}
	platform := "hip"
	if lib.AtOnce() {
		platform = "host"
	}
	d, err := p.driver(platform)
	return lib, d, err
}
