package nvshmem

// UniqueID is nvshmemx_uniqueid_t: where the root of a job listens. The root makes it,
// everybody gets a copy.
type UniqueID struct {
	Version  int32
	Internal [124]byte
}

// UniqueIDArgs is nvshmemx_uniqueid_args_t.
type UniqueIDArgs struct {
	Version int32
	_       int32
	ID      uintptr // where the id is; it must stay there until the end of init
	MyRank  int32
	NRanks  int32
}

// InitArgs is nvshmemx_init_args_t in its first version.
type InitArgs struct {
	Version int32
	_       int32
	UIDArgs UniqueIDArgs
	Content [96]byte
}

// InitAttr is nvshmemx_init_attr_t.
type InitAttr struct {
	Version int32
	_       int32
	MPIComm uintptr
	Args    InitArgs
}

// Prepare writes the versions, which the library reads and does not set.
func (a *InitAttr) Prepare() {
	a.Version = NVSHMEMX_INIT_ATTR_V1
	a.Args.Version = NVSHMEMX_INIT_ARGS_V1
	a.Args.UIDArgs.Version = NVSHMEMX_UNIQUEID_ARGS_V1
}
