//go:build goshmem_static

package dl

import "fmt"

// absence is why there are no libraries: a program that is statically linked has no
// loader for them.
func absence() error {
	return fmt.Errorf("%w: this program was built with the tag goshmem_static", ErrUnsupported)
}
