// Package nccl is NCCL and RCCL for Go, without cgo, and the same collectives where there
// is no GPU. A program that is written with it needs no change to run on NVIDIA's GPUs, on
// AMD's, or on none.
//
//	comm, err := nccl.Init(ctx, nccl.Options{}) // rank, size and meeting point from the launcher
//	defer comm.Close()
//	x, err := gpu.Alloc[float32](comm.Device(), 1<<20)
//	err = nccl.AllReduce(comm, x, x, nccl.Sum, stream)
//	err = comm.Synchronize(ctx, stream)
//
// # Which library
//
// GPUs of NVIDIA need libnccl.so.2, those of AMD librccl.so.1; [Libraries] tells what was
// found, and what was tried. Without a GPU the host library of this module does the work,
// in memory of platform host. GOSHMEM_NCCL, or Options.Library, forces one: nccl, rccl or
// host. A library that was asked for, or that the GPU needs, and cannot be loaded is an
// error; the host library never stands in for it unasked.
//
// # Calls
//
// Collectives, [Send] and [Recv] are functions over any two [Buffer]s. They return when
// the work is in the stream; it is done when the stream is. Wait with [Comm.Synchronize],
// which also notices a rank that has died, ends with its context, and then aborts the
// communicator. A nil stream is the default stream of the device; streams of package gpu
// do not wait for it. Memory must not be closed while work on it is queued. A nil context is
// context.Background().
//
// All ranks make the same calls, in the same order, on a communicator. [Group] makes
// several calls one: sends and receives that depend on each other, and calls on several
// communicators from one goroutine. Ranks of one process that have the same device need
// streams of their own, or they wait for themselves.
//
// Communicators may share a stream, if all ranks call them in the same order there: in
// opposite orders they wait for each other until one of them is aborted. The end of one is
// not that of another: what was called behind it goes on, with whatever the memory holds.
// The host library drops copies and kernels that are behind a call that has failed. So wait
// with each of the communicators: one tells nothing of the other.
//
// # Waiting
//
// Communicators do not block, unless the config says so: what waits for other ranks (Init,
// Split and the like, and the first use of a connection) is polled, ends with its context
// or with Options.Timeout, and says so. A communicator whose wait was given up is aborted.
// The host library knows where the ranks are, and errors of such waits tell: who is absent,
// and in which call the others are. NCCL and RCCL do not know. No library ends work in a
// stream by itself, however long it takes.
//
// A wrong argument harms nothing: it is refused, and the communicator goes on.
//
// # Checks
//
// Every call is checked before the library gets it: that memory is alive, of the right
// device and long enough, parts that overlap, remainders, types, operations that belong to
// another communicator, ranks, use after Close. Checked mode (GOSHMEM_CHECK=1,
// Options.Check) also compares the collectives of all ranks before they start, and names
// those that differ. The host library finds such differences without it, except a send and
// a receive that never meet, but when the work is under way: the communicator is then of no
// more use. Both are [ErrMismatch]. Checked mode needs a communicator of [Init], without ids
// of the program's own, or of [InitAll], or one that was split or shrunk of such; see
// [Comm.Split] for the limits.
package nccl
