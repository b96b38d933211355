package abi

import "github.com/goshmem/goshmem/internal/dl"

// Op is something that a device runtime does for us. CUDA's driver API and HIP have a
// function for each of them that takes the same arguments, but for the few that are
// marked; what a vendor calls it is in CUDARuntime and HIPRuntime.
type Op int

// The operations, with their arguments as the vendors' functions have them. Those that
// end in * are where the result goes.
const (
	OpInit       Op = iota // flags
	OpVersion              // int*
	OpCount                // int*
	OpErrorName            // CUDA: status, char**; HIP: status, and returns it
	OpErrorText            // the same
	OpCurrent              // context or device of the thread*
	OpUse                  // context or device
	OpRetain               // CUDA only: context*, device
	OpAttribute            // int*, attribute, device
	OpProperties           // HIP only: struct*, device
	OpDeviceName           // char*, size, device
	OpTotal                // size_t*, device
	OpPCI                  // char*, size, device
	OpUUID                 // 16 bytes*, device
	OpMemoryInfo           // free size_t*, total size_t*

	OpCanPeer   // int*, device, peer
	OpPeerAttr  // int*, attribute, device, peer
	OpPeer      // context or device of the peer, flags
	OpExport    // 64 bytes*, address
	OpImport    // address*, 64 bytes by value, flags
	OpUnimport  // address
	OpPointer   // value*, attribute, address
	OpAlloc     // address*, bytes
	OpFree      // address
	OpAllocHost // address*, bytes, flags
	OpFreeHost  // address
	OpCopy      // to, from, bytes, HIP: kind, stream
	OpCopyIn    // to, from, bytes, stream
	OpCopyOut   // to, from, bytes, stream
	OpFill8     // address, value, elements, stream
	OpFill16    // address, value, elements, stream
	OpFill32    // address, value, elements, stream

	OpStream        // stream*, flags, priority
	OpPriorities    // least int*, greatest int*
	OpStreamDestroy // stream
	OpStreamQuery   // stream
	OpStreamSync    // stream
	OpStreamWait    // stream, event, flags
	OpWriteValue    // stream, address, value, flags
	OpWaitValue     // stream, address, value, flags, HIP: mask

	OpEvent        // event*, flags
	OpEventDestroy // event
	OpRecord       // event, stream
	OpEventQuery   // event
	OpElapsed      // float*, from, to

	OpLoad      // module*, image
	OpUnload    // module
	OpFunction  // function*, module, name
	OpFuncAttr  // int*, attribute, function
	OpFuncSet   // CUDA only: function, attribute, int
	OpParamInfo // CUDA only: function, index, offset size_t*, bytes size_t*
	OpLaunch    // function, 3 x grid, 3 x block, shared, stream, arguments, extra

	OpBeginCapture // stream, mode
	OpCapturing    // stream, int*
	OpEndCapture   // stream, graph*
	OpInstantiate  // executable*, graph, flags
	OpGraphLaunch  // executable, stream
	OpExecDestroy  // executable
	OpGraphDestroy // graph
	Ops            // how many there are
)

// Binding says what a vendor calls an operation.
type Binding struct {
	Op Op
	// Names are the function's names, that of the newest version first: the first one
	// that the library has is called.
	Names []string
	// Since is the version that added it; "" if we cannot do without it.
	Since string
	For   string
}

// bind makes an entry for a function that we cannot do without.
func bind(op Op, purpose string, names ...string) Binding {
	return Binding{Op: op, Names: names, For: purpose}
}

// bindSince makes an entry for a function that a version added.
func bindSince(since string, op Op, purpose string, names ...string) Binding {
	return Binding{Op: op, Names: names, Since: since, For: purpose}
}

// symbolsOf lists the functions of bindings. One of several names is enough, so that
// none of them is required by itself.
func symbolsOf(bindings []Binding) []dl.Symbol {
	var table []dl.Symbol
	for _, b := range bindings {
		for _, name := range b.Names {
			table = append(table, dl.Symbol{Name: name, Required: b.Since == "" && len(b.Names) == 1, Since: b.Since, For: b.For})
		}
	}
	return table
}

// The purposes that messages give for a function.
const (
	forDevice  = "device runtime"
	forKernels = "kernels"
	forPeers   = "peer memory"
	forValues  = "barriers on a stream"
	forGraphs  = "graphs"
)
