package nvshmem

import (
	"fmt"
	"strings"

	"github.com/goshmem/goshmem/internal/abi/nvshmem"
	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/dl"
	"github.com/goshmem/goshmem/internal/engine/block"
	"github.com/goshmem/goshmem/internal/reduce"
)

// library is the loaded library and the way into it.
type library struct {
	functions
	*block.Door
	lib     *dl.Library
	version string

	into device.Caller
	dev  int
	args [maxArgs]uintptr // of whoever is in it
}

// maxArgs is how many arguments the widest function has.
const maxArgs = 8

// function is a function of the library; at is 0 if this version lacks it.
type function struct {
	at   uintptr
	name string
}

// functions are those that we call.
type functions struct {
	initAttr, finalize, initStatus, uniqueID, setArgs, myPE, nPEs function
	align, free, ptr                                              function
	put, get, putNBI, getNBI, quiet, fence                        function
	putOn, getOn, putSignalOn, signalOn, waitOn, quietOn          function
	barrierAllOn, syncAllOn, barrierOn, syncOn                    function
	split, destroy                                                function
	broadcastOn, fcollectOn, allToAllOn                           function
	reductions                                                    [reduce.BFloat16 + 1][reduce.Xor + 1][2]function // 1: with parts for each
}

// load opens the library with variables set that it reads, and finds its functions.
func load(spec dl.Spec, settings []dl.Setting) (*library, error) {
	spec.Settings = append(spec.Settings, settings...)
	lib, _, err := dl.Open(spec)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", device.ErrUnsupported, err)
	}
	l := &library{lib: lib, version: lib.Version(), Door: block.NewDoor(name, "NVSHMEM")}
	if !strings.HasPrefix(l.version, "3.") {
		return nil, fmt.Errorf("nvshmem: %w: %s is version %s, and this package knows the functions of version 3: install NVSHMEM 3.4 or later", device.ErrUnsupported, lib.Path(), l.version)
	}
	for f, name := range l.named() {
		f.name = name
		if at, err := lib.Lookup(name); err == nil { // else lacks says so when it is called
			f.at = at
		}
	}
	return l, nil
}

// named gives every function its name in the library.
func (l *library) named() map[*function]string {
	list := map[*function]string{
		&l.initAttr: "nvshmemx_hostlib_init_attr", &l.finalize: "nvshmemx_hostlib_finalize", &l.initStatus: "nvshmemx_init_status",
		&l.uniqueID: "nvshmemx_get_uniqueid", &l.setArgs: "nvshmemx_set_attr_uniqueid_args",
		&l.myPE: "nvshmem_my_pe", &l.nPEs: "nvshmem_n_pes",
		&l.align: "nvshmem_align", &l.free: "nvshmem_free", &l.ptr: "nvshmem_ptr",
		&l.put: "nvshmem_putmem", &l.get: "nvshmem_getmem", &l.putNBI: "nvshmem_putmem_nbi", &l.getNBI: "nvshmem_getmem_nbi",
		&l.quiet: "nvshmem_quiet", &l.fence: "nvshmem_fence",
		&l.putOn: "nvshmemx_putmem_on_stream", &l.getOn: "nvshmemx_getmem_on_stream",
		&l.putSignalOn: "nvshmemx_putmem_signal_on_stream", &l.signalOn: "nvshmemx_signal_op_on_stream",
		&l.waitOn: "nvshmemx_signal_wait_until_on_stream", &l.quietOn: "nvshmemx_quiet_on_stream",
		&l.barrierAllOn: "nvshmemx_barrier_all_on_stream", &l.syncAllOn: "nvshmemx_sync_all_on_stream",
		&l.barrierOn: "nvshmemx_barrier_on_stream", &l.syncOn: "nvshmemx_team_sync_on_stream",
		&l.split: "nvshmem_team_split_strided", &l.destroy: "nvshmem_team_destroy",
		&l.broadcastOn: "nvshmemx_broadcastmem_on_stream", &l.fcollectOn: "nvshmemx_fcollectmem_on_stream",
		&l.allToAllOn: "nvshmemx_alltoallmem_on_stream",
	}
	for t := range l.reductions {
		for op := range l.reductions[t] {
			for scatter := range 2 {
				if name := nvshmem.Reduction(reduce.Type(t), reduce.Op(op), scatter == 1); name != "" {
					list[&l.reductions[t][op][scatter]] = name
				}
			}
		}
	}
	return list
}

// lacks is the error for a function that this version does not have.
func (l *library) lacks(f *function) error {
	_, err := l.lib.Lookup(f.name)
	return fmt.Errorf("%w: %w", device.ErrUnsupported, err)
}
