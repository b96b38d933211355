package rocshmem

import (
	"os"
	"strings"

	"github.com/goshmem/goshmem/internal/abi"
	"github.com/goshmem/goshmem/internal/dl"
)

// mpichWorld is the number of the world's communicator in MPICH. In Open MPI it is the
// address of a variable.
const mpichWorld = 0x44000000

// mpiInitialised asks an MPI library that is in the process already whether it is
// initialised, and for how many processes. None is loaded for that.
func mpiInitialised() (size int, ok bool) {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil || !strings.Contains(string(maps), "/libmpi") {
		return 0, false
	}
	lib, _, err := dl.Open(abi.MPI())
	if err != nil {
		return 0, false
	}
	if ask(lib, "MPI_Initialized") == 0 || ask(lib, "MPI_Finalized") != 0 {
		return 0, false
	}
	world, err := lib.Lookup("ompi_mpi_comm_world")
	if err != nil {
		world = mpichWorld
	}
	return int(ask(lib, "MPI_Comm_size", world)), true
}

// ask calls a function that stores a number at its last argument, 0 if it cannot.
func ask(lib *dl.Library, function string, args ...uintptr) int32 {
	fn, err := lib.Lookup(function)
	if err != nil {
		return 0
	}
	s := dl.Borrow()
	defer s.Return()
	out := dl.Out[int32](s)
	if dl.Status(dl.Call(fn, append(args, dl.Addr(out))...)) != 0 {
		return 0
	}
	return *out
}
