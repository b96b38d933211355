package rocshmem

import (
	"os"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/internal/abi/rocshmem"
	"github.com/goshmem/goshmem/internal/reduce"
)

// TestTroubleshooting: what the page quotes is what the errors say.
func TestTroubleshooting(t *testing.T) {
	page, err := os.ReadFile("../../../docs/troubleshooting.md")
	if err != nil {
		t.Fatal(err)
	}
	_, backend := readSettings([]string{"ROCSHMEM_BACKEND=x"})
	_, port := readSettings([]string{"MASTER_PORT=x"})
	_, reduction := reductionOf(reduce.Int8, reduce.Min)
	none := func() (int, bool) { return 0, false }
	one := func() (int, bool) { return 1, true }
	for _, c := range []struct {
		err    error
		quoted string
	}{
		{backend, "ROCSHMEM_BACKEND cannot be followed"},
		{port, "a variable of rocSHMEM has a value that it cannot use"},
		{reduction, "rocSHMEM has no min of int8 on streams: reduce it with a blocking call"},
		{settings{}.mayStart("ro", 4, none), "the RO backend needs MPI"},
		{settings{}.mayStart("ro", 4, one), "needs all 4 PEs in MPI's world, which has 1"},
		{settings{mpiSize: 2}.mayStart("ro", 4, none), "needs mpirun to have started all 4 PEs, and OMPI_COMM_WORLD_SIZE is 2"},
		{ErrUsed, "this process has started rocSHMEM before, which the library can do once only"},
		{rocshmem.ErrShim, "the rocSHMEM shim does not fit"},
		{refused("atomics of %d bits do not work over GDA, of 64 bits they do", 32), "atomics of 32 bits do not work over GDA"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.quoted) || !strings.Contains(string(page), "`"+c.quoted) {
			t.Errorf("%q: the page does not quote it, or the error is %v", c.quoted, c.err)
		}
	}
}
