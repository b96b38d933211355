// Package rocshmem opens the shim over AMD's rocSHMEM and calls it. The functions are made
// from the same table as the shim (internal/shimgen); here is what they have in common.
//
// Nothing is checked: the library ends the process, or crashes, where it could return an
// error, so that internal/engine/rocshmem looks at everything before it calls.
package rocshmem

//go:generate go run ../../shimgen ../../..

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/goshmem/goshmem/internal/dl"
)

// The numbers of rocshmem_common.hpp that calls take and give.
const (
	UniqueIDBytes = 128

	BackendGDA = 0
	BackendRO  = 1
	BackendIPC = 2
)

// SignalOp is what becomes of a signal.
type SignalOp int32

// The two that there are.
const (
	SignalSet SignalOp = 0
	SignalAdd SignalOp = 1
)

// Compare is how a signal is compared, numbered as engine.Compare is.
type Compare int32

// Symmetric is an address in the own symmetric heap. Arguments of one C type that must not
// be mixed up have types of their own here.
type Symmetric uintptr

// Local is an address that this PE reads or writes itself.
type Local uintptr

// Team is the library's handle of a team; 0 is none.
type Team uintptr

// Stream is a stream of HIP; 0 is the default one.
type Stream uintptr

// PE is a PE's number in the world.
type PE int32

// TeamPE is a PE's number in a team.
type TeamPE int32

// ErrShim is a shim that does not fit: to this program, or to what it was linked with.
var ErrShim = errors.New("the rocSHMEM shim does not fit")

// Soname is what the shim's file is called.
const Soname = "libgoshmem_rocshmem.so"

// Symbols are the functions of the shim, its number of the table first.
func Symbols() []dl.Symbol {
	number := dl.Symbol{Name: tableSymbol, Required: true, For: "making sure that shim and program fit"}
	return append([]dl.Symbol{number}, symbols()...)
}

const tableSymbol = "goshmem_rocshmem_table"

// Library is a loaded shim.
type Library struct {
	lib   *dl.Library
	fn    [Functions]uintptr
	about About
	later func(stream Stream, call func())
}

// AtOnce says that what goes on a stream would happen at once: the stand-in has no streams.
func (l *Library) AtOnce() bool { return len(l.about.GPUs) == 1 && l.about.GPUs[0] == "host" }

// Order has run called, in place of what goes on a stream, with the call; run calls it when
// it is that stream's turn. What such calls return is lost.
func (l *Library) Order(run func(stream Stream, call func())) { l.later = run }

// enqueue calls a function whose work goes on a stream.
func (l *Library) enqueue(stream Stream, f Function, words ...uintptr) uintptr {
	if l.later == nil {
		return dl.Call(l.fn[f], words...)
	}
	kept := slices.Clone(words)
	l.later(stream, func() { dl.Call(l.fn[f], kept...) })
	return 0
}

// About is what the shim says about itself.
type About struct {
	Version  string // of the headers
	Commit   string
	Backends []string // GDA, RO, IPC: what the library was built with
	Build    string   // Release, Debug
	MPI      string
	GPUs     []string
}

// Open loads the shim that spec describes, and holds it to this program and to the library
// that is linked into it.
func Open(spec dl.Spec) (*Library, error) {
	lib, _, err := dl.Open(spec)
	if err != nil {
		return nil, err
	}
	l := &Library{lib: lib}
	if err := l.fits(); err != nil {
		return nil, err
	}
	for i, s := range symbols() {
		l.fn[i], err = lib.Lookup(s.Name)
		if err != nil && s.Required {
			return nil, err
		}
	}
	l.about = parseAbout(l.text())
	return l, l.matches()
}

// fits compares the numbers of the tables, before anything else is called.
func (l *Library) fits() error {
	fn, err := l.lib.Lookup(tableSymbol)
	if err != nil {
		return err
	}
	if got := dl.Status(dl.Call(fn)); got != TableHash {
		return fmt.Errorf("%w: %s was made from another table (%d) than this program (%d): build it again from native/rocshmem of the same goshmem", ErrShim, l.lib.Path(), got, TableHash)
	}
	return nil
}

// matches compares the version of the headers with that of the archive.
func (l *Library) matches() error {
	if linked := l.Linked(); linked != l.about.Version {
		return fmt.Errorf("%w: %s was compiled with headers of rocSHMEM %s and linked with rocSHMEM %s: build it again with one installation", ErrShim, l.lib.Path(), l.about.Version, linked)
	}
	return nil
}

// Has says whether the shim has a function that not every rocSHMEM has.
func (l *Library) Has(f Function) bool { return l.fn[f] != 0 }

// Path is the file that was loaded.
func (l *Library) Path() string { return l.lib.Path() }

// Facts are what the shim was made from.
func (l *Library) Facts() About { return l.about }

// Linked is the version of the library in the shim.
func (l *Library) Linked() string {
	s := dl.Borrow()
	defer s.Return()
	v := dl.OutSlice[int32](s, 3)
	l.VendorGetVersionInfo(dl.Addr(&v[0]), dl.Addr(&v[1]), dl.Addr(&v[2]))
	return fmt.Sprintf("%d.%d.%d", v[0], v[1], v[2])
}

// Reduce calls one of the reductions, which all take the same arguments.
func (l *Library) Reduce(f Function, team Team, dest, source Symmetric, n int32, stream Stream) (status int32) {
	return dl.Status(l.enqueue(stream, f, uintptr(team), uintptr(dest), uintptr(source), uintptr(n), uintptr(stream)))
}

// UniqueID makes the name of a world.
func (l *Library) UniqueID() (id [UniqueIDBytes]byte, status int32) {
	s := dl.Borrow()
	defer s.Return()
	out := dl.OutSlice[byte](s, UniqueIDBytes)
	status = l.GetUniqueid(dl.Addr(&out[0]))
	copy(id[:], out)
	return id, status
}

// Begin is Start with an id of Go.
func (l *Library) Begin(rank, size int, id [UniqueIDBytes]byte) (status int32) {
	s := dl.Borrow()
	defer s.Return()
	in := dl.OutSlice[byte](s, UniqueIDBytes)
	copy(in, id[:])
	return l.Start(int32(rank), int32(size), dl.Addr(&in[0]))
}

func (l *Library) text() string {
	const limit = 1 << 10
	s := dl.Borrow()
	defer s.Return()
	out := dl.OutSlice[byte](s, limit)
	n := l.AboutText(dl.Addr(&out[0]), limit)
	return string(out[:max(0, min(n, limit-1))])
}

// parseAbout reads "name=value" lines.
func parseAbout(text string) About {
	m := map[string]string{}
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		m[name] = strings.TrimSpace(value)
	}
	return About{m["version"], m["commit"], strings.Fields(m["backends"]), m["build"], m["mpi"], strings.Fields(m["gpus"])}
}

// String is one line, the same in all processes of a job whose shims are the same.
func (a About) String() string {
	text := "rocSHMEM " + a.Version
	if a.Commit != "" {
		text += " (" + a.Commit + ")"
	}
	return text + ", " + strings.Join(a.Backends, "+") + ", " + a.Build + ", for " + strings.Join(a.GPUs, " ")
}

// AtLeast says whether the version is that one or newer.
func (a About) AtLeast(major, minor int) bool {
	parts := append(strings.Split(a.Version, "."), "", "")
	x, _ := strconv.Atoi(parts[0]) // what is no number is old
	y, _ := strconv.Atoi(parts[1])
	return x > major || (x == major && y >= minor)
}
