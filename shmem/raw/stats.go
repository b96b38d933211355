package raw

import (
	"fmt"
	"strings"

	"github.com/goshmem/goshmem/shmem"
)

// dumpStats prints in one piece, so that the lines of several PEs do not mix.
func dumpStats(w *shmem.World) error {
	var text strings.Builder
	s := w.HeapStats()
	fmt.Fprintf(&text, "PE %d: %d blocks, %d of %d bytes used, the largest hole has %d\n", w.MyPE(), s.Blocks, s.Used, s.Size, s.Largest)
	for _, l := range w.Leaks() {
		fmt.Fprintf(&text, "PE %d: %v\n", w.MyPE(), l)
	}
	_, err := fmt.Print(text.String())
	return err
}
