//go:build !linux || goshmem_static

package dl

// Open returns an error: vendor libraries are loaded on Linux only, by programs that are
// not built with the tag goshmem_static. The report is never nil.
func Open(spec Spec) (*Library, *Report, error) {
	r := newReport(spec)
	return nil, r, &LoadError{Report: r, Err: absence()}
}
