package abi

import "github.com/goshmem/goshmem/internal/dl"

// MPI is any MPI library, for a bootstrap over one that the job has anyway. Open
// MPI and MPICH differ in everything but these names: a communicator is a pointer
// to ompi_mpi_comm_world in one and a number in the other.
//
// Origin: the MPI standard for the functions; Debian's libmpi.so.40 (Open MPI
// 4.1.4) and libmpich.so.12 (MPICH 4.0.2) for the file names and the data symbols.
func MPI() dl.Spec {
	table := required("bootstrap",
		"MPI_Init", "MPI_Initialized", "MPI_Finalize", "MPI_Finalized", "MPI_Get_version",
		"MPI_Comm_rank", "MPI_Comm_size", "MPI_Bcast", "MPI_Barrier")
	table = append(table, optional("", "handles of Open MPI", "ompi_mpi_comm_world", "ompi_mpi_byte")...)
	return dl.Spec{
		Name: "mpi", Sonames: []string{"libmpi.so.40", "libmpi.so.12", "libmpich.so.12", "libmpi.so"},
		Symbols: table,
		Version: dl.VersionCall{Symbol: "MPI_Get_version", Outs: 2, Format: func(out []int32) string { return "standard " + dotted(out) }},
		Note:    "the distribution's packages are libopenmpi3 and libmpich12",
	}
}
