package abi

import (
	"github.com/goshmem/goshmem/internal/abi/nvshmem"
	"github.com/goshmem/goshmem/internal/dl"
)

// NVSHMEM is NVIDIA's symmetric memory library, its host half.
//
// Origin: symbol list of libnvshmem_host.so.3 of release 3.4.5. The plain init
// and finalize functions are inline in its headers and not exported; the wheel
// ships the versioned file name only. Functions for atomics are exported, and say that
// they are not implemented.
func NVSHMEM() dl.Spec {
	return dl.Spec{
		Name: "nvshmem", Sonames: []string{"libnvshmem_host.so.3", "libnvshmem_host.so"},
		Homes:    append([]dl.Home{{Var: "NVSHMEM_HOME", Dirs: []string{"lib", "lib64"}}}, cudaHome()...),
		Packages: wheels(),
		Settings: []dl.Setting{{Name: "NVSHMEM_DISABLE_NVLS", Value: "1", Why: "multicast over NVLink is a resource of the whole machine, which others may be using"}},
		Symbols:  append(nvshmemRequired(), nvshmemOptional()...),
		Version:  dl.VersionCall{Symbol: "nvshmemx_vendor_get_version_info", Outs: 3, Void: true, Format: dotted},
		Note:     "set NVSHMEM_HOME to its installation",
	}
}

func nvshmemRequired() []dl.Symbol {
	table := required("start and end",
		"nvshmemx_hostlib_init_attr", "nvshmemx_hostlib_finalize", "nvshmemx_init_status",
		"nvshmemx_get_uniqueid", "nvshmemx_set_attr_uniqueid_args", "nvshmemx_vendor_get_version_info",
		"nvshmem_my_pe", "nvshmem_n_pes")
	table = append(table, required("symmetric memory",
		"nvshmem_malloc", "nvshmem_calloc", "nvshmem_align", "nvshmem_free", "nvshmem_ptr")...)
	table = append(table, required("put, get and order",
		"nvshmem_putmem", "nvshmem_getmem", "nvshmem_quiet", "nvshmem_fence", "nvshmem_barrier_all", "nvshmem_sync_all")...)
	table = append(table, required("calls on a stream",
		"nvshmemx_putmem_on_stream", "nvshmemx_getmem_on_stream", "nvshmemx_putmem_signal_on_stream",
		"nvshmemx_signal_wait_until_on_stream", "nvshmemx_signal_op_on_stream",
		"nvshmemx_quiet_on_stream", "nvshmemx_barrier_all_on_stream")...)
	return append(table, required("teams", "nvshmem_team_split_strided", "nvshmem_team_destroy")...)
}

// nvshmemOptional are those that release 3.4.5 has and that we can do without; when
// earlier ones got them is not known.
func nvshmemOptional() []dl.Symbol {
	table := optional("", "puts and gets that complete later", "nvshmem_putmem_nbi", "nvshmem_getmem_nbi")
	table = append(table, optional("", "meetings of teams on a stream",
		"nvshmemx_sync_all_on_stream", "nvshmemx_barrier_on_stream", "nvshmemx_team_sync_on_stream")...)
	table = append(table, optional("", "collectives on a stream",
		"nvshmemx_broadcastmem_on_stream", "nvshmemx_fcollectmem_on_stream", "nvshmemx_alltoallmem_on_stream")...)
	table = append(table, optional("", "reductions on a stream", nvshmem.Reductions()...)...)
	return append(table, optional("3.5", "queue pairs", "nvshmemx_qp_create")...)
}
