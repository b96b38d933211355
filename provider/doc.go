// Package provider gives kernels the memory of their peers: symmetric allocations with,
// for each, a table of where every rank has it, so that a kernel can load, store, copy and
// do atomics in other ranks' memory by itself.
//
//	p, err := provider.New(w)
//	data, peers, err := provider.AllocateSymmetric[float32](ctx, p, n)
//	err = f.Launch(stream, gpu.Grid(n, 256), data, peers, int32(p.Rank()))
//
// In the kernel, with #include "goshmem.h" ([Headers]):
//
//	goshmem::store(data + i, v, me, peer, peers);
//
// A table has one address for each rank: of that rank's copy of the allocation, as this
// device sees it. A pointer p of rank a becomes that of rank b by peers[b] + (p - peers[a]);
// the entry of the own rank is the address of the own copy. The distances are the same
// for all allocations of one symmetric heap, so that one table translates pointers into
// any of them. A rank that cannot be reached so, such as one of another node, has the entry
// 0 and is not Direct; a launch with such a table is refused, unless it is given as
// [AddressMap.Partial].
//
// A table belongs to its allocation: after Free it is refused. Nothing is freed by the
// garbage collector, since freeing is collective.
//
// Barrier orders what kernels have stored only if they are done: synchronise with their
// streams before it, or use the world's BarrierOnStream.
package provider
