package gpu

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/goshmem/goshmem/internal/dl"
	"github.com/goshmem/goshmem/internal/rtc"
)

// CompileError is what a compiler has against a program. Its fields: Compiler (with its
// version), Source (the program's name), Arch, Call (the library's function), Status and
// Text (what it returned), Log (the compiler's whole log, of which the error's text has
// the first lines).
type CompileError = rtc.Error

// build compiles a program for the device's architecture.
func (d *Device) build(p Program) ([]byte, error) {
	about, err := d.limits()
	if err != nil {
		return nil, err
	}
	kind := rtc.NVRTC
	if d.p.name == "hip" {
		kind = rtc.HIPRTC
	}
	image, _, err := rtc.Compile(kind, rtc.Source{
		Name: cmp.Or(p.Name, "program"), Text: p.Device, Headers: p.Headers, Options: p.Options,
		Arch: about.Arch, Driver: d.driver().Version(),
	})
	return image, sorted(err)
}

// sorted gives a compiler's error its kind.
func sorted(err error) error {
	var said *CompileError
	var missing *dl.LoadError
	switch {
	case errors.As(err, &said):
		return fmt.Errorf("%w: %w", ErrCompiler, err)
	case errors.As(err, &missing):
		return fmt.Errorf("%w: no run-time compiler: %w", ErrUnsupported, err)
	}
	return err
}
