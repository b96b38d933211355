package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/goshmem/goshmem/gpu"
)

// kernel is one, by whomever.
type kernel interface {
	Launch(s *gpu.Stream, grid [3]int, args ...any) error
}

// kernels finds them by name.
type kernels interface {
	named(name string) (kernel, error)
	used() int // how many were asked for
	Close() error
}

// open is the kernels for a device: compiled ones in a folder, or in Go on platform host.
func open(d *gpu.Device, folder string) (kernels, error) {
	if d.Platform() == "host" {
		return inGo(d)
	}
	about, err := d.Properties()
	if err != nil {
		return nil, err
	}
	ext := ".cubin"
	if d.Platform() == "hip" {
		ext = ".hsaco"
	}
	return &files{d, filepath.Join(folder, about.Arch), ext, map[string]*gpu.TritonKernel{}}, nil
}

// files are compiled kernels, each in a file.
type files struct {
	d           *gpu.Device
	folder, ext string
	open        map[string]*gpu.TritonKernel
}

func (f *files) named(name string) (kernel, error) {
	if k, ok := f.open[name]; ok {
		return k, nil
	}
	k, err := f.d.LoadTriton(filepath.Join(f.folder, name+f.ext))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: compile.py makes it; -without leaves an operation out", err)
	}
	if err != nil {
		return nil, err
	}
	f.open[name] = k
	return k, nil
}

func (f *files) used() int { return len(f.open) }

// Close unloads the kernels.
func (f *files) Close() error {
	var err error
	for _, k := range f.open {
		err = errors.Join(err, k.Close())
	}
	return err
}

// goes are kernels in Go.
type goes struct {
	m     *gpu.Module
	asked map[string]kernel
}

func inGo(d *gpu.Device) (kernels, error) {
	m, err := d.Compile(gpu.Program{Name: "kernels.py in Go", Host: everyHost()})
	return &goes{m, map[string]kernel{}}, err
}

func (g *goes) named(name string) (kernel, error) {
	f, err := g.m.Function(name)
	if err == nil {
		g.asked[name] = program{f}
	}
	return program{f}, err
}

func (g *goes) used() int { return len(g.asked) }

// Close unloads the kernels.
func (g *goes) Close() error { return g.m.Close() }

// program is a kernel in Go that is launched as one of Triton's is.
type program struct{ f *gpu.Function }

// Launch starts the kernel on a grid of programs.
func (p program) Launch(s *gpu.Stream, grid [3]int, args ...any) error {
	return p.f.Launch(s, gpu.Dims{Grid: grid}, args...)
}
