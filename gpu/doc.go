// Package gpu is a small device runtime over CUDA, over HIP, and over goroutines where
// there is no GPU: devices, streams, events, memory, kernels. One program runs on all
// three; no C compiler is needed, and vendors' libraries are opened when they are first
// asked for.
//
//	d, err := gpu.Best()                            // cuda:0, hip:0 or host:0
//	x, err := gpu.Alloc[float32](d, 1<<20)
//	err = x.CopyFrom(data, nil)                     // from a Go slice, on the default stream
//	m, err := d.Compile(gpu.Program{Device: source, Host: kernels})
//	f, err := m.Function("scale")
//	err = f.Launch(nil, gpu.Grid(x.Len(), 256), x, int32(x.Len()), float32(2))
//	err = x.CopyTo(data, nil)
//
// # Order
//
// Work of one stream is done in the order in which it was queued. A stream that
// [Device.NewStream] made waits neither for the default stream nor for others: events
// order streams among each other ([Event.Record], [Stream.Wait]). A nil *Stream is the
// default stream of the device that the memory or the function of the call is on.
//
// Calls return when their work is queued, except those that move data from and to Go
// memory (CopyFrom, CopyTo, At, Set), those whose name says it (Synchronize), and Fill.
//
// # Memory
//
// A [Slice] is a small value that refers to device memory, to pinned host memory or to
// memory of others. Go does not collect it: Close gives it back, and everything that
// refers to it is refused from then on. Work that is still queued must be done before:
// Close does not wait for it.
//
// # Goroutines and errors
//
// Everything may be used from any goroutine. Every error is an [*Error]; what it wraps
// tells kinds apart with errors.Is ([ErrMemory], [ErrClosed] and so on), and errors.As
// finds the [*DriverError] with the status of a vendor's library.
//
// What is wrong is refused before the vendor's library sees it: memory, streams and
// events that are closed, of another device or platform, sizes and counts that do not fit.
//
// A fault of a kernel ([ErrFault]) comes back from a later call. On a GPU the process
// cannot use any device after it and must end; on platform host only the stream is lost.
//
// # Kernels compiled elsewhere
//
// [Device.LoadModule] loads any machine code. [Device.LoadTriton] loads a kernel of Triton's with
// its metadata, and knows then how it is launched and what its arguments are:
//
//	k, err := d.LoadTriton("bin/kernels/sm_90/scale.cubin") // and scale.json
//	err = k.Launch(nil, [3]int{programs}, x, int32(x.Len()), float32(2))
//
// # Vendors' functions
//
// Behind "CUDA:" and "HIP:" stand the functions of NVIDIA's driver library and of AMD's
// runtime that a call answers to, with the version that added them where that is recent.
// An older library does not have them: the call returns [ErrUnsupported], and its text
// names the function, the version that has it, and the library's.
package gpu
