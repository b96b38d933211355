//go:build !linux

package dl

// Open returns an error: vendor libraries are loaded on Linux only. The report is
// never nil.
func Open(spec Spec) (*Library, *Report, error) {
	r := newReport(spec)
	return nil, r, &LoadError{Report: r, Err: ErrUnsupported}
}

// Mapped lists nothing: nothing is opened here.
func Mapped(names ...string) []string { return nil }
