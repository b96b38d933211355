//go:build linux && (amd64 || arm64) && !goshmem_static

package dl

import "unsafe"

// Line is a way into C for one caller at a time, who makes so many short calls that what
// Call does for each of them counts: it has a frame of its own. All else is as for Call.
type Line struct{ f *frame }

// NewLine makes a Line.
func NewLine() Line { return Line{f: new(frame)} }

// Call calls a function of six arguments or fewer: those that it lacks are 0.
func (l Line) Call(fn, a, b, c, d, e, g uintptr) uintptr {
	f := l.f
	f.fn, f.nstack = fn, 0
	f.regs[0], f.regs[1], f.regs[2], f.regs[3], f.regs[4], f.regs[5] = a, b, c, d, e, g
	cgocall(trampolineAt, unsafe.Pointer(f))
	return f.result
}

// Call7 calls a function of seven arguments.
func (l Line) Call7(fn, a, b, c, d, e, g, h uintptr) uintptr {
	f := l.f
	f.fn, f.nstack = fn, 0
	f.regs[0], f.regs[1], f.regs[2], f.regs[3], f.regs[4], f.regs[5] = a, b, c, d, e, g
	f.seventh(h)
	cgocall(trampolineAt, unsafe.Pointer(f))
	return f.result
}
