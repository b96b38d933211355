//go:build !linux && !goshmem_static

package dl

// absence is why there are no libraries.
func absence() error { return ErrUnsupported }
