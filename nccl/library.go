package nccl

import (
	"fmt"
	"sync"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/internal/abi"
	"github.com/goshmem/goshmem/internal/ccl"
	"github.com/goshmem/goshmem/internal/ccl/vendor"
	"github.com/goshmem/goshmem/internal/env"
	"github.com/goshmem/goshmem/nccl/raw"
)

// The names of libraries.
const (
	nameNCCL = "nccl"
	nameRCCL = "rccl"
	nameHost = "host"
)

// Library is what does the collectives, as [Libraries] and [Comm.Library] tell of it.
type Library struct {
	Name    string // nccl, rccl or host
	Version string // "2.28.9"; RCCL tells the NCCL version that it is compatible with
	Code    int    // as ncclGetVersion has it: 22809
	Path    string // the file that was loaded; "" for none
	Tried   string // what the search looked at, one place a line
	Err     error  // why it cannot be used; nil if it can
}

// String is one line about the library.
func (l Library) String() string {
	switch {
	case l.Err != nil:
		return fmt.Sprintf("%s: none (%v)", l.Name, l.Err)
	case l.Path == "":
		return l.Name + " " + l.Version
	}
	return fmt.Sprintf("%s %s, %s", l.Name, l.Version, l.Path)
}

// Libraries lists all libraries, and why those that cannot be used cannot. It loads NCCL if
// there is a GPU of NVIDIA's, and RCCL if there is one of AMD's: only one of the two can be
// in a process. Local.
func Libraries() []Library {
	var list []Library
	for _, name := range []string{nameNCCL, nameRCCL, nameHost} {
		if platform := platformOf(name); platform != nameHost {
			if _, err := gpu.Devices(platform); err != nil {
				list = append(list, Library{Name: name, Err: err})
				continue
			}
		}
		l, err := load(name, "")
		if err != nil {
			list = append(list, Library{Name: name, Err: err})
			continue
		}
		list = append(list, describe(l))
	}
	return list
}

func describe(l ccl.Library) Library {
	d := Library{Name: l.Name(), Version: abi.NCCLVersion(l.Version()), Code: l.Version(), Path: l.Path()}
	if r := vendor.Raw(l); r != nil {
		d.Tried = r.Tried()
	}
	return d
}

// platformOf is the platform whose memory a library works on.
func platformOf(library string) string {
	switch library {
	case nameNCCL:
		return "cuda"
	case nameRCCL:
		return "hip"
	}
	return "host"
}

// libraryFor is the library that works on the memory of a platform.
func libraryFor(platform string) string {
	switch platform {
	case "cuda":
		return nameNCCL
	case "hip":
		return nameRCCL
	}
	return nameHost
}

// loaded are the libraries of the process, by name and path: each can be there once.
var loaded struct {
	sync.Mutex
	by map[[2]string]ccl.Library
}

// load opens a library, once. A failure is tried again: the environment may have changed.
func load(name, path string) (ccl.Library, error) {
	loaded.Lock()
	defer loaded.Unlock()
	key := [2]string{name, path}
	if l := loaded.by[key]; l != nil {
		return l, nil
	}
	l, err := open(name, path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w; %s=host does without a GPU", ErrNoLibrary, err, env.NCCL)
	}
	if loaded.by == nil {
		loaded.by = map[[2]string]ccl.Library{}
	}
	loaded.by[key] = l
	return l, nil
}

func open(name, path string) (ccl.Library, error) {
	if name == nameHost {
		return openHost()
	}
	return vendor.Open(name, path)
}

// choose returns a device and its library: the device that was given, else one of the
// platform that the library works on, else the best one.
func (o settled) choose(number int) (*gpu.Device, ccl.Library, error) {
	d, err := o.device(number)
	if err != nil {
		return nil, nil, err
	}
	name := libraryFor(d.Platform())
	if o.Library != "" && o.Library != name {
		return nil, nil, problem(ErrArgument, "library %s was asked for (Options.Library, %s), and it does not work on %v", o.Library, env.NCCL, d)
	}
	l, err := load(name, o.Path)
	return d, l, err
}

// device is the one for a local rank. A platform with one device has only this one for all:
// launchers often show each process its own.
func (o settled) device(number int) (*gpu.Device, error) {
	if o.Device != nil {
		return o.Device, nil
	}
	list, err := o.devices()
	if err != nil {
		return nil, err
	}
	switch {
	case len(list) == 1:
		return list[0], nil
	case number >= len(list):
		return nil, problem(ErrArgument, "this is local rank %d and there are %d devices of platform %s: start fewer processes, or set Options.Device", number, len(list), list[0].Platform())
	}
	return list[number], nil
}

// devices are those of the library that was asked for, else of the best platform.
func (o settled) devices() ([]*gpu.Device, error) {
	if o.Library != "" {
		return gpu.Devices(platformOf(o.Library))
	}
	best, err := gpu.Best()
	if err != nil {
		return nil, err
	}
	return gpu.Devices(best.Platform())
}

// Raw is NCCL or RCCL as package raw has it; nil on the host library. Local.
func (c *Comm) Raw() *raw.Library { return vendor.Raw(c.lib) }
