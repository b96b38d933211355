package abi

import (
	"os"

	"github.com/goshmem/goshmem/internal/dl"
)

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
	table = append(table, required("settings", "ucp_config_read", "ucp_config_modify", "ucp_config_release")...)
	table = append(table, required("sleeping until something comes", "ucp_worker_get_efd", "ucp_worker_arm", "ucp_worker_signal")...)
	table = append(table, required("messages", "ucp_tag_send_nbx", "ucp_tag_probe_nb", "ucp_tag_msg_recv_nbx")...)
	table = append(table, required("remote memory",
		"ucp_mem_map", "ucp_mem_unmap", "ucp_mem_query", "ucp_rkey_pack", "ucp_rkey_buffer_release",
		"ucp_ep_rkey_unpack", "ucp_rkey_destroy", "ucp_rkey_ptr",
		"ucp_put_nbx", "ucp_get_nbx", "ucp_atomic_op_nbx")...)
	return dl.Spec{
		Name: "ucx", Sonames: []string{"libucp.so.0", "libucp.so"},
		Symbols: table,
		Version: dl.VersionCall{Symbol: "ucp_get_version", Outs: 3, Void: true, Format: dotted},
		Settings: append(segment(), []dl.Setting{{
			Name: "UCX_ERROR_SIGNALS", Value: "",
			Why: "UCX would handle SIGSEGV itself while it is loaded, and a nil dereference that Go can recover from would end the process",
		}, {
			Name: "UCX_LOG_LEVEL", Value: "fatal",
			Why: "UCX would write to the program's standard output what we return as errors",
		}, {
			Name: "UCX_HANDLE_ERRORS", Value: "none",
			Why: "the addresses of a failed assertion of UCX say nothing to who has no symbols, and hide what the others say",
		}, {
			Name: "UCX_TCP_CONN_NB", Value: "y",
			Why: "a thread would be in UCX for as long as the system tries to connect to a node that is gone",
		}}...),
		Note: "the distribution's package is libucx0 or ucx",
	}
}

// segment is for TCP, unless the user has said how much is received at a time: no message
// may be longer than that.
func segment() []dl.Setting {
	if _, set := os.LookupEnv("UCX_TCP_RX_SEG_SIZE"); set {
		return nil
	}
	return []dl.Setting{{
		Name: "UCX_TCP_TX_SEG_SIZE", Value: "64k",
		Why: "UCX would send 8 KiB at a time, and receives up to 64 KiB at a time",
	}}
}
