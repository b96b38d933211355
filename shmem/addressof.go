package shmem

// Address returns where this PE's own copy begins, for kernels and libraries: of the
// device if the symmetric memory is a device's. It means nothing after Free. Local.
func (a Array[T]) Address() (uintptr, error) {
	if err := a.usable(); err != nil {
		return 0, fail(a.World(), "address", noPeer, err)
	}
	return uintptr(a.here()), nil
}

// PeerAddress returns where kernels of this PE's device, or Go where the memory is that of
// the host, load and store pe's copy; 0 if they cannot, which is no error. Local.
// OpenSHMEM: shmem_ptr; NVSHMEM: nvshmem_ptr; rocSHMEM: rocshmem_ptr.
func (a Array[T]) PeerAddress(pe int) (uintptr, error) {
	if err := a.pair(pe, a.n, true); err != nil {
		return 0, fail(a.World(), "peer address", pe, err)
	}
	base := a.b.w.bases[a.b.lane.world(pe)]
	if base == nil {
		return 0, nil
	}
	return uintptr(base) + a.off, nil
}
