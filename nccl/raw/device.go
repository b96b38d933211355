package raw

import (
	"github.com/goshmem/goshmem/internal/abi"
	"github.com/goshmem/goshmem/internal/dl"
)

// Team is ncclTeam_t: ranks of a communicator, stride apart.
type Team struct{ NRanks, Rank, Stride int32 }

// words are the team as C passes it.
func (t Team) words() (first, second uintptr) {
	return uintptr(uint32(t.NRanks)) | uintptr(uint32(t.Rank))<<32, uintptr(uint32(t.Stride))
}

// team calls a function that returns one.
func (l *Library) team(c abi.NCCLCall, args ...uintptr) (Team, error) {
	if l.fn[c] == 0 {
		return Team{}, l.lacks(c)
	}
	first, second := dl.CallPair(l.fn[c], args...)
	l.lib.Done(l.names[c])
	return Team{int32(uint32(first)), int32(uint32(first >> 32)), int32(uint32(second))}, nil
}

// integer calls a function that returns an int which is no result.
func (l *Library) integer(c abi.NCCLCall, args ...uintptr) (int, error) {
	if l.fn[c] == 0 {
		return 0, l.lacks(c)
	}
	v := dl.Status(dl.Call(l.fn[c], args...))
	l.lib.Done(l.names[c])
	return int(v), nil
}

// TeamWorld is ncclTeamWorld (2.28.3): all ranks.
func (l *Library) TeamWorld(comm Comm) (Team, error) { return l.team(abi.NCCLTeamWorld, uintptr(comm)) }

// TeamLSA is ncclTeamLsa (2.28.3): the ranks whose memory this one loads and stores.
func (l *Library) TeamLSA(comm Comm) (Team, error) { return l.team(abi.NCCLTeamLsa, uintptr(comm)) }

// TeamRail is ncclTeamRail (2.28.3): the ranks at the same place of other teams.
func (l *Library) TeamRail(comm Comm) (Team, error) { return l.team(abi.NCCLTeamRail, uintptr(comm)) }

// TeamCFT is ncclTeamCft (2.31).
func (l *Library) TeamCFT(comm Comm, mode int) (Team, error) {
	return l.team(abi.NCCLTeamCft, uintptr(comm), word32(mode))
}

// TeamCFTMultimem is ncclTeamCftMultimem (2.31).
func (l *Library) TeamCFTMultimem(comm Comm) (Team, error) {
	return l.team(abi.NCCLTeamCftMultimem, uintptr(comm))
}

// TeamRankToWorld is ncclTeamRankToWorld (2.28.3).
func (l *Library) TeamRankToWorld(comm Comm, t Team, rank int) (int, error) {
	a, b := t.words()
	return l.integer(abi.NCCLTeamRankToWorld, uintptr(comm), a, b, word32(rank))
}

// TeamRankToLSA is ncclTeamRankToLsa (2.28.3).
func (l *Library) TeamRankToLSA(comm Comm, t Team, rank int) (int, error) {
	a, b := t.words()
	return l.integer(abi.NCCLTeamRankToLsa, uintptr(comm), a, b, word32(rank))
}

// LSABarrierCreateRequirement is ncclLsaBarrierCreateRequirement (2.28.3), by the addresses
// of its results, which are in C's memory.
func (l *Library) LSABarrierCreateRequirement(t Team, barriers int, handle, requirement uintptr) error {
	a, b := t.words()
	return l.do(abi.NCCLLsaBarrierCreateRequirement, a, b, word32(barriers), handle, requirement)
}

// GINBarrierCreateRequirement is ncclGinBarrierCreateRequirement (2.28.3), as above.
func (l *Library) GINBarrierCreateRequirement(comm Comm, t Team, barriers int, handle, requirement uintptr) error {
	a, b := t.words()
	return l.do(abi.NCCLGinBarrierCreateRequirement, uintptr(comm), a, b, word32(barriers), handle, requirement)
}

// LLA2ACreateRequirement is ncclLLA2ACreateRequirement (2.28.3), as above.
func (l *Library) LLA2ACreateRequirement(blocks, slots int, handle, requirement uintptr) error {
	return l.do(abi.NCCLLLA2ACreateRequirement, word32(blocks), word32(slots), handle, requirement)
}

// LLA2ACalcSlots is ncclLLA2ACalcSlots (2.28.3).
func (l *Library) LLA2ACalcSlots(elements, elementSize int) (int, error) {
	return l.integer(abi.NCCLLLA2ACalcSlots, word32(elements), word32(elementSize))
}

// DevCommCreate is ncclDevCommCreate (2.28.3), by the addresses of ncclDevCommRequirements
// and ncclDevComm in C's memory, whose layouts change with every version.
func (l *Library) DevCommCreate(comm Comm, requirements, devComm uintptr) error {
	return l.do(abi.NCCLDevCommCreate, uintptr(comm), requirements, devComm)
}

// DevCommDestroy is ncclDevCommDestroy (2.28.3), as DevCommCreate.
func (l *Library) DevCommDestroy(comm Comm, devComm uintptr) error {
	return l.do(abi.NCCLDevCommDestroy, uintptr(comm), devComm)
}

// GetLSAMultimemDevicePointer is ncclGetLsaMultimemDevicePointer (2.29.2).
func (l *Library) GetLSAMultimemDevicePointer(w Window, offset uintptr) (uintptr, error) {
	v, err := l.word(abi.NCCLGetLsaMultimemDevicePointer, uintptr(w), offset)
	return uintptr(v), err
}

// GetLSADevicePointer is ncclGetLsaDevicePointer (2.29.2).
func (l *Library) GetLSADevicePointer(w Window, offset uintptr, rank int) (uintptr, error) {
	v, err := l.word(abi.NCCLGetLsaDevicePointer, uintptr(w), offset, word32(rank))
	return uintptr(v), err
}

// GetPeerDevicePointer is ncclGetPeerDevicePointer (2.29.2); 0 means that there is no way.
func (l *Library) GetPeerDevicePointer(w Window, offset uintptr, peer int) (uintptr, error) {
	v, err := l.word(abi.NCCLGetPeerDevicePointer, uintptr(w), offset, word32(peer))
	return uintptr(v), err
}

// GetMultimemDevicePointer is ncclGetMultimemDevicePointer (2.29.2). The handle is that of
// ncclMultimemHandle_t.
func (l *Library) GetMultimemDevicePointer(w Window, offset, handle uintptr) (uintptr, error) {
	v, err := l.word(abi.NCCLGetMultimemDevicePointer, uintptr(w), offset, handle)
	return uintptr(v), err
}

// GetMultimemDeviceLEInfo is ncclGetMultimemDeviceLeInfo (2.31).
func (l *Library) GetMultimemDeviceLEInfo(w Window, offset uintptr) (id, at uint64, err error) {
	return l.two(abi.NCCLGetMultimemDeviceLeInfo, uintptr(w), offset)
}

// GetPeerDeviceLEInfo is ncclGetPeerDeviceLeInfo (2.31).
func (l *Library) GetPeerDeviceLEInfo(w Window, offset uintptr, peer int) (id, at uint64, err error) {
	return l.two(abi.NCCLGetPeerDeviceLeInfo, uintptr(w), offset, word32(peer))
}

// GetCFTDeviceLEInfo is ncclGetCftDeviceLeInfo (2.31).
func (l *Library) GetCFTDeviceLEInfo(w Window, offset uintptr, peer int, t Team) (id, at uint64, err error) {
	a, b := t.words()
	return l.two(abi.NCCLGetCftDeviceLeInfo, uintptr(w), offset, word32(peer), a, b)
}

// two calls a function that stores two words.
func (l *Library) two(c abi.NCCLCall, args ...uintptr) (first, second uint64, err error) {
	s := dl.Borrow()
	defer s.Return()
	out := dl.OutSlice[uint64](s, 2)
	var all [8]uintptr
	n := copy(all[:], args)
	all[n], all[n+1] = dl.Addr(&out[0]), dl.Addr(&out[1])
	err = l.do(c, all[:n+2]...)
	return out[0], out[1], err
}
