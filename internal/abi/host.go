package abi

import "github.com/goshmem/goshmem/internal/dl"

// UCX is the transport to other nodes.
//
// Origin: ucp.h; each name is exported by Debian's libucp.so.0 (UCX 1.13.1), but
// for ucs_status_string, which is in libucs.so.0 that comes with it.
func UCX() dl.Spec {
	table := required("transport",
		"ucp_get_version", "ucp_init_version", "ucp_cleanup", "ucs_status_string",
		"ucp_worker_create", "ucp_worker_destroy", "ucp_worker_progress", "ucp_worker_fence", "ucp_worker_flush_nbx",
		"ucp_worker_get_address", "ucp_worker_release_address",
		"ucp_ep_create", "ucp_ep_close_nbx", "ucp_ep_flush_nbx",
		"ucp_request_check_status", "ucp_request_free")
	table = append(table, required("remote memory",
		"ucp_mem_map", "ucp_mem_unmap", "ucp_mem_query", "ucp_rkey_pack", "ucp_rkey_buffer_release",
		"ucp_ep_rkey_unpack", "ucp_rkey_destroy", "ucp_rkey_ptr",
		"ucp_put_nbx", "ucp_get_nbx", "ucp_atomic_op_nbx")...)
	return dl.Spec{
		Name: "ucx", Sonames: []string{"libucp.so.0", "libucp.so"},
		Symbols: table,
		Version: dl.VersionCall{Symbol: "ucp_get_version", Outs: 3, Void: true, Format: dotted},
		Settings: []dl.Setting{{
			Name: "UCX_ERROR_SIGNALS", Value: "",
			Why: "UCX would handle SIGSEGV itself while it is loaded, and a nil dereference that Go can recover from would end the process",
		}},
		Note: "the distribution's package is libucx0 or ucx",
	}
}

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
