package raw

import (
	"github.com/goshmem/goshmem/internal/abi"
	"github.com/goshmem/goshmem/internal/dl"
)

// GetVersion is ncclGetVersion: 22809 is 2.28.9.
func (l *Library) GetVersion() (int, error) {
	v, err := l.word(abi.NCCLGetVersion)
	return int(int32(v)), err
}

// Version is what GetVersion said when the library was opened.
func (l *Library) Version() int { return l.version }

// GetErrorString is ncclGetErrorString.
func (l *Library) GetErrorString(code Result) string {
	return dl.Text(dl.Call(l.fn[abi.NCCLGetErrorString], word32(code)), 1024)
}

// GetLastError is ncclGetLastError (2.13): what the library warned of last in this process.
// Older libraries have none: "".
func (l *Library) GetLastError(comm Comm) string {
	if l.fn[abi.NCCLGetLastError] == 0 {
		return ""
	}
	return dl.Text(dl.Call(l.fn[abi.NCCLGetLastError], uintptr(comm)), 1024)
}

// GetUniqueID is ncclGetUniqueId. A thread of this process serves the id.
func (l *Library) GetUniqueID() (UniqueID, error) {
	s := dl.Borrow()
	defer s.Return()
	id := dl.Out[UniqueID](s)
	err := l.do(abi.NCCLGetUniqueId, dl.Addr(id))
	return *id, err
}

// CommInitRank is ncclCommInitRank. It reads the current device of the thread.
func (l *Library) CommInitRank(comm *Slot, size int, id UniqueID, rank int) error {
	fn := l.fn[abi.NCCLCommInitRank]
	return l.result(abi.NCCLCommInitRank, dl.CallByValue(fn, []uintptr{comm.Address(), word32(size)}, id[:], word32(rank)))
}

// CommInitRankConfig is ncclCommInitRankConfig (2.14). It reads the current device of the
// thread. A nil config is the library's own.
func (l *Library) CommInitRankConfig(comm *Slot, size int, id UniqueID, rank int, config *Config) error {
	fn := l.fn[abi.NCCLCommInitRankConfig]
	if fn == 0 {
		return l.lacks(abi.NCCLCommInitRankConfig)
	}
	s := dl.Borrow()
	defer s.Return()
	before := []uintptr{comm.Address(), word32(size)}
	return l.result(abi.NCCLCommInitRankConfig, dl.CallByValue(fn, before, id[:], word32(rank), l.config(s, config)))
}

// CommInitRankScalable is ncclCommInitRankScalable (2.23): with at most one id for each rank.
func (l *Library) CommInitRankScalable(comm *Slot, size, rank int, ids []UniqueID, config *Config) error {
	s := dl.Borrow()
	defer s.Return()
	list, release := dl.Pin(ids)
	defer release()
	return l.do(abi.NCCLCommInitRankScalable, comm.Address(), word32(size), word32(rank), word32(len(ids)), list, l.config(s, config))
}

// CommInitAll is ncclCommInitAll: a communicator of one rank for each device, all in this
// process. It returns when they are ready. No devices: the first n.
func (l *Library) CommInitAll(n int, devices []int) ([]Comm, error) {
	s := dl.Borrow()
	defer s.Return()
	comms := dl.OutSlice[Comm](s, max(n, 1))
	list := uintptr(0)
	if len(devices) > 0 {
		numbers := dl.OutSlice[int32](s, len(devices))
		for i, d := range devices {
			numbers[i] = int32(d)
		}
		list = dl.Addr(&numbers[0])
	}
	err := l.do(abi.NCCLCommInitAll, dl.Addr(&comms[0]), word32(n), list)
	return append([]Comm(nil), comms[:n]...), err
}

// CommFinalize is ncclCommFinalize (2.14).
func (l *Library) CommFinalize(comm Comm) error { return l.do(abi.NCCLCommFinalize, uintptr(comm)) }

// CommDestroy is ncclCommDestroy. It may wait for other ranks of this process.
func (l *Library) CommDestroy(comm Comm) error { return l.do(abi.NCCLCommDestroy, uintptr(comm)) }

// CommAbort is ncclCommAbort.
func (l *Library) CommAbort(comm Comm) error { return l.do(abi.NCCLCommAbort, uintptr(comm)) }

// CommRevoke is ncclCommRevoke (2.28.7). The flags are 0.
func (l *Library) CommRevoke(comm Comm, flags int) error {
	return l.do(abi.NCCLCommRevoke, uintptr(comm), word32(flags))
}

// CommSplit is ncclCommSplit (2.18). The slot may be written later; see Slot.
func (l *Library) CommSplit(comm Comm, color, key int, newcomm *Slot, config *Config) error {
	s := dl.Borrow()
	defer s.Return()
	return l.do(abi.NCCLCommSplit, uintptr(comm), word32(color), word32(key), newcomm.Address(), l.config(s, config))
}

// CommShrink is ncclCommShrink (2.27). The library gets a copy of the ranks, since it sorts
// them. The slot may be written later; see Slot.
func (l *Library) CommShrink(comm Comm, exclude []int, newcomm *Slot, config *Config, flags int) error {
	s := dl.Borrow()
	defer s.Return()
	ranks := make([]int32, len(exclude))
	for i, r := range exclude {
		ranks[i] = int32(r)
	}
	list, release := dl.Pin(ranks)
	defer release()
	return l.do(abi.NCCLCommShrink, uintptr(comm), list, word32(len(exclude)), newcomm.Address(), l.config(s, config), word32(flags))
}

// CommGetUniqueID is ncclCommGetUniqueId (2.29): the id with which others join in CommGrow.
func (l *Library) CommGetUniqueID(comm Comm) (UniqueID, error) {
	s := dl.Borrow()
	defer s.Return()
	id := dl.Out[UniqueID](s)
	err := l.do(abi.NCCLCommGetUniqueId, uintptr(comm), dl.Addr(id))
	return *id, err
}

// CommGrow is ncclCommGrow (2.29). Ranks of comm pass rank -1, those that come in pass comm
// 0. The slot may be written later; see Slot.
func (l *Library) CommGrow(comm Comm, size int, id *UniqueID, rank int, newcomm *Slot, config *Config) error {
	s := dl.Borrow()
	defer s.Return()
	at := uintptr(0)
	if id != nil {
		at = dl.Addr(dl.In(s, *id))
	}
	return l.do(abi.NCCLCommGrow, uintptr(comm), word32(size), at, word32(rank), newcomm.Address(), l.config(s, config))
}

// CommGetAsyncError is ncclCommGetAsyncError: the state of the communicator. The error is
// about the question.
func (l *Library) CommGetAsyncError(comm Comm) (Result, error) {
	v, err := l.word(abi.NCCLCommGetAsyncError, uintptr(comm))
	return Result(int32(v)), err
}

// CommCount is ncclCommCount.
func (l *Library) CommCount(comm Comm) (int, error) { return l.number(abi.NCCLCommCount, comm) }

// CommCuDevice is ncclCommCuDevice.
func (l *Library) CommCuDevice(comm Comm) (int, error) { return l.number(abi.NCCLCommCuDevice, comm) }

// CommUserRank is ncclCommUserRank.
func (l *Library) CommUserRank(comm Comm) (int, error) { return l.number(abi.NCCLCommUserRank, comm) }

// number is a call that stores an int.
func (l *Library) number(c abi.NCCLCall, comm Comm) (int, error) {
	v, err := l.word(c, uintptr(comm))
	return int(int32(v)), err
}

// CommSuspend is ncclCommSuspend (2.29.7). The flags are SuspendMem.
func (l *Library) CommSuspend(comm Comm, flags int) error {
	return l.do(abi.NCCLCommSuspend, uintptr(comm), word32(flags))
}

// CommResume is ncclCommResume (2.29.7).
func (l *Library) CommResume(comm Comm) error { return l.do(abi.NCCLCommResume, uintptr(comm)) }

// CommMemStats is ncclCommMemStats (2.29.7).
func (l *Library) CommMemStats(comm Comm, stat int) (uint64, error) {
	return l.word(abi.NCCLCommMemStats, uintptr(comm), word32(stat))
}
