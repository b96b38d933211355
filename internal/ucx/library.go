package ucx

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goshmem/goshmem/internal/dl"
)

// The version of the interface that the layouts of internal/abi/ucx are of, and the
// oldest library that will do.
const (
	apiMajor = 1
	apiMinor = 13
)

// library has the addresses of the functions that we call.
type library struct {
	lib     *dl.Library
	version string // "1.13.1"

	init, cleanup, configRead, configModify, configRelease                    uintptr
	workerCreate, workerDestroy, progress, getAddress, freeAddress            uintptr
	efd, arm, signal, workerFence                                             uintptr
	epCreate, epClose, epFlush                                                uintptr
	check, free, text                                                         uintptr
	memMap, memUnmap, memQuery, rkeyPack, rkeyFree, unpack, rkeyPtr, rkeyGone uintptr
	put, get, atomic, send, probe, receive                                    uintptr
}

// load opens the library, and finds its functions.
func load(spec dl.Spec) (*library, error) {
	lib, _, err := dl.Open(spec)
	switch {
	case errors.Is(err, dl.ErrSymbol):
		return nil, fmt.Errorf("%w: %w: install libucx0 or ucx %d.%d or later", ErrVersion, err, apiMajor, apiMinor)
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrMissing, err)
	}
	l := &library{lib: lib}
	for at, name := range l.named() {
		if *at, err = lib.Lookup(name); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrVersion, err)
		}
	}
	l.version = lib.Version()
	return l, suitable(l.version, lib.Path())
}

// withVersion puts the version of the library in front of data of its making.
func withVersion(version string, data []byte) []byte {
	return append(append([]byte{byte(len(version))}, version...), data...)
}

// sameVersion takes it away again, if it is of the same series as ours: what UCX sends is
// not the same in all of them.
func sameVersion(what, ours string, data []byte) ([]byte, error) {
	if len(data) == 0 || int(data[0]) >= len(data)-1 {
		return nil, fmt.Errorf("ucx: %w: %s has %d bytes", ErrArgument, what, len(data))
	}
	theirs := string(data[1 : 1+data[0]])
	if series(theirs) != series(ours) {
		return nil, fmt.Errorf("ucx: %w: %s is of UCX %s, and this process has %s: install the same on all nodes", ErrVersion, what, theirs, ours)
	}
	return data[1+data[0]:], nil
}

// series is a version up to its second number.
func series(version string) string {
	parts := strings.SplitN(version, ".", 3)
	return strings.Join(parts[:min(2, len(parts))], ".")
}

// suitable says whether a version is one that we know.
func suitable(version, path string) error {
	var major, minor int
	if _, err := fmt.Sscanf(version, "%d.%d", &major, &minor); err != nil {
		return fmt.Errorf("%w: %s says that it is version %q", ErrVersion, path, version)
	}
	if major != apiMajor || minor < apiMinor {
		return fmt.Errorf("%w: %s is version %s, and this needs %d.%d or a later %d.x: install a newer libucx0 or ucx", ErrVersion, path, version, apiMajor, apiMinor, apiMajor)
	}
	return nil
}

// named gives every function its name in the library.
func (l *library) named() map[*uintptr]string {
	return map[*uintptr]string{
		&l.init: "ucp_init_version", &l.cleanup: "ucp_cleanup",
		&l.configRead: "ucp_config_read", &l.configModify: "ucp_config_modify", &l.configRelease: "ucp_config_release",
		&l.workerCreate: "ucp_worker_create", &l.workerDestroy: "ucp_worker_destroy", &l.progress: "ucp_worker_progress",
		&l.getAddress: "ucp_worker_get_address", &l.freeAddress: "ucp_worker_release_address",
		&l.efd: "ucp_worker_get_efd", &l.arm: "ucp_worker_arm", &l.signal: "ucp_worker_signal", &l.workerFence: "ucp_worker_fence",
		&l.epCreate: "ucp_ep_create", &l.epClose: "ucp_ep_close_nbx", &l.epFlush: "ucp_ep_flush_nbx",
		&l.check: "ucp_request_check_status", &l.free: "ucp_request_free", &l.text: "ucs_status_string",
		&l.memMap: "ucp_mem_map", &l.memUnmap: "ucp_mem_unmap", &l.memQuery: "ucp_mem_query",
		&l.rkeyPack: "ucp_rkey_pack", &l.rkeyFree: "ucp_rkey_buffer_release", &l.unpack: "ucp_ep_rkey_unpack", &l.rkeyPtr: "ucp_rkey_ptr", &l.rkeyGone: "ucp_rkey_destroy",
		&l.put: "ucp_put_nbx", &l.get: "ucp_get_nbx", &l.atomic: "ucp_atomic_op_nbx",
		&l.send: "ucp_tag_send_nbx", &l.probe: "ucp_tag_probe_nb", &l.receive: "ucp_tag_msg_recv_nbx",
	}
}
