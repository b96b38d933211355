//go:build !linux || !(amd64 || arm64) || goshmem_static

package dl

const unsupported = "dl: calling C functions is supported on Linux with amd64 and arm64 only"

// Call panics: C functions are called on Linux with amd64 and arm64 only. Open has
// said so on systems other than Linux.
func Call(fn uintptr, args ...uintptr) uintptr { panic(unsupported) }

// CallOut panics, as Call does.
func CallOut(fn uintptr, args ...uintptr) (word, result uintptr) { panic(unsupported) }

// CallPair panics, as Call does.
func CallPair(fn uintptr, args ...uintptr) (first, second uintptr) { panic(unsupported) }

// CallByValue panics, as Call does.
func CallByValue(fn uintptr, before []uintptr, value []byte, after ...uintptr) uintptr {
	panic(unsupported)
}

// ask knows no version: it would have to call.
func (l *Library) ask() string { return "" }

// Line is a way into C that nothing takes here.
type Line struct{}

// NewLine makes one; its calls panic, as Call does.
func NewLine() Line { return Line{} }

// Call panics, as the function does.
func (Line) Call(fn, a, b, c, d, e, g uintptr) uintptr { panic(unsupported) }

// Call7 panics, as Call does.
func (Line) Call7(fn, a, b, c, d, e, g, h uintptr) uintptr { panic(unsupported) }
