//go:build !goshmem_static

package dl

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/ebitengine/purego"
)

// The flags of every load. Now: a missing function is an error of Open, not a
// crash in the middle of a job. Global: plugins of MPI, UCX and NVSHMEM expect to
// find their host library's functions in the global scope.
const (
	flags  = purego.RTLD_NOW | purego.RTLD_GLOBAL
	noLoad = 0x4 // RTLD_NOLOAD of dlfcn.h on Linux: a handle only if it is loaded
)

// Open finds and loads a library. The search is: the path that the user asks
// for, and nothing else; a copy that is already in the process, because a second
// one beside it has its own state; the homes; the system loader; the vendor's
// usual folders; what lies in Python environments, Conda's included.
//
// The first file that loads is it. If it lacks required functions, the error
// names them all; another file is not tried, since the first cannot be unloaded.
// The report is never nil.
func Open(spec Spec) (*Library, *Report, error) {
	l := &Library{spec: spec, report: newReport(spec)}
	if err := l.open(); err != nil {
		return nil, l.report, err
	}
	return l, l.report, nil
}

func (l *Library) open() error {
	if err := l.prepare(); err != nil {
		return err
	}
	if err := l.load(); err != nil {
		return err
	}
	l.bind()
	l.report.Path = l.locate()
	return l.require()
}

// prepare sets the variables that the library reads while it is loaded.
func (l *Library) prepare() error {
	for _, s := range l.spec.Settings {
		if _, set := os.LookupEnv(s.Name); set {
			continue
		}
		if err := os.Setenv(s.Name, s.Value); err != nil {
			return fmt.Errorf("%s: set %s before loading: %w", l.spec.Name, s.Name, err)
		}
		l.report.Set = append(l.report.Set, s.Name+"="+s.Value)
	}
	return nil
}

// load tries the candidates until one loads.
func (l *Library) load() error {
	if _, asked := l.spec.asked(); !asked && l.adopt() {
		return nil
	}
	for _, c := range l.spec.candidates() {
		a := l.try(c)
		l.report.Attempts = append(l.report.Attempts, a)
		if a.Problem == "" {
			return nil
		}
	}
	if len(l.report.broken()) > 0 {
		return &LoadError{Report: l.report, Err: ErrLoad}
	}
	return &LoadError{Report: l.report, Err: ErrNotFound}
}

// adopt takes a copy that is already in the process.
func (l *Library) adopt() bool {
	for _, c := range l.spec.bare(stepLoaded) {
		handle, err := dlopen(c.name, flags|noLoad)
		if err == nil {
			l.handle, l.report.AlreadyLoaded = handle, true
			l.report.Attempts = append(l.report.Attempts, Attempt{Step: c.step, Path: c.name})
			return true
		}
	}
	return false
}

// try loads one candidate.
func (l *Library) try(c candidate) Attempt {
	a := Attempt{Step: c.step, Path: c.name}
	if strings.Contains(c.name, "/") {
		if _, err := os.Stat(c.name); errors.Is(err, fs.ErrNotExist) {
			a.Problem = NoFile
			return a
		}
	}
	if _, err := dlopen(c.name, flags|noLoad); err == nil {
		l.report.AlreadyLoaded = true
	}
	handle, err := dlopen(c.name, flags)
	if err != nil {
		a.Problem, a.Detail = diagnose(c.name, err.Error())
		return a
	}
	l.handle = handle
	return a
}

// dlopen keeps the thread: the loader's error text belongs to it.
func dlopen(name string, mode int) (uintptr, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return purego.Dlopen(name, mode)
}

// diagnose reads the loader's words. It names first the file that it speaks
// about: when that is not the one that we asked for, it is one that ours needs.
func diagnose(asked, text string) (Problem, string) {
	subject, _, _ := strings.Cut(text, ": ")
	switch {
	case strings.Contains(text, "cannot open shared object file"):
		if subject == asked && strings.Contains(text, "No such file") {
			return NoFile, ""
		}
		if subject != asked {
			return NoDependency, subject
		}
	case strings.Contains(text, "invalid ELF header"), strings.Contains(text, "file too short"),
		strings.Contains(text, "wrong ELF class"), strings.Contains(text, "cannot read file data"),
		strings.Contains(text, "only ET_DYN and ET_EXEC can be loaded"):
		return BadFile, text
	case strings.Contains(text, "undefined symbol"), strings.Contains(text, "not found (required by"):
		return Unresolved, text
	}
	return Other, text
}

// bind resolves the table.
func (l *Library) bind() {
	l.symbols = make(map[string]uintptr, len(l.spec.Symbols))
	for _, s := range l.spec.Symbols {
		addr := dlsym(l.handle, s.Name)
		l.symbols[s.Name] = addr
		if addr == 0 && !s.Required {
			l.report.Absent = append(l.report.Absent, s.Name)
		}
	}
}

// dlsym returns 0 for what is not there; the loader's text would say no more.
func dlsym(handle uintptr, name string) uintptr {
	addr, err := purego.Dlsym(handle, name)
	if err != nil {
		return 0
	}
	return addr
}

// require returns an error that names all required functions that are absent.
func (l *Library) require() error {
	required := func(s Symbol) bool { return s.Required }
	for _, s := range l.spec.Symbols {
		if s.Required && l.symbols[s.Name] == 0 {
			return l.missing(required)
		}
	}
	return nil
}

// locate finds the loaded file: the one that one of its functions is mapped from,
// else the one mapped under the name that was opened.
func (l *Library) locate() string {
	maps := readMaps()
	for _, s := range l.spec.Symbols {
		if path := maps.at(l.symbols[s.Name]); path != "" {
			return path
		}
	}
	opened := l.report.Attempts[len(l.report.Attempts)-1].Path
	if path, err := filepath.EvalSymlinks(opened); err == nil && strings.Contains(opened, "/") {
		return path
	}
	return maps.named(filepath.Base(opened))
}
