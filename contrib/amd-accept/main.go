// Command amd-accept runs the checks of package gpu and the suites of the engines on AMD
// GPUs, and reports them.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/goshmem/goshmem/gpu"
)

// The statuses of the program.
const (
	passed   = 0
	failed   = 1
	misused  = 2
	noDevice = 3
)

func main() {
	platform := flag.String("platform", "hip", "platform to check; others than hip try the program itself")
	engines := flag.Bool("engines", true, "run the engines' suites as well, on platform hip")
	out := flag.String("json", "amd-accept.json", "file that the report is written to")
	flag.Parse()
	if flag.NArg() > 0 {
		flag.Usage()
		os.Exit(misused)
	}
	r, err := examine(*platform)
	if err == nil && *engines && *platform == "hip" {
		for _, s := range suites() {
			r.Engines = append(r.Engines, s.run())
		}
	}
	if err == nil {
		err = r.write(*out)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "amd-accept:", err)
	} else {
		fmt.Print(r.table())
	}
	os.Exit(status(r, err))
}

func status(r report, err error) int {
	switch {
	case errors.Is(err, gpu.ErrNoDevice):
		return noDevice
	case err != nil || !r.good():
		return failed
	}
	return passed
}

// examine describes the platform's devices and has the checks run on each of them.
func examine(platform string) (report, error) {
	p, err := find(platform)
	if err != nil {
		return report{}, err
	}
	all, err := gpu.Devices(platform)
	if err != nil {
		return report{}, err
	}
	r := report{Version: p.Version, Library: p.Library}
	for i, d := range all {
		about, err := d.Properties()
		if err != nil {
			return r, err
		}
		list, err := checks(platform, i)
		if err != nil {
			return r, err
		}
		r.Devices = append(r.Devices, device{about.Name, about.Arch, list})
	}
	return r, nil
}

// find gives a platform that has devices. One that has none is an error that says why.
func find(name string) (gpu.Platform, error) {
	for _, p := range gpu.Platforms() {
		if p.Name != name {
			continue
		}
		if p.Err != nil {
			return p, fmt.Errorf("%w of platform %s on this machine, nothing was checked: %w", gpu.ErrNoDevice, name, p.Err)
		}
		if p.Devices == 0 {
			return p, fmt.Errorf("%w of platform %s on this machine, nothing was checked", gpu.ErrNoDevice, name)
		}
		return p, nil
	}
	return gpu.Platform{}, fmt.Errorf("there is no platform %q", name)
}

func (r report) write(path string) error {
	data, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(data, '\n'), 0o644)
}
