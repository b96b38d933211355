package raw

import (
	"github.com/goshmem/goshmem/internal/abi"
	"github.com/goshmem/goshmem/internal/dl"
)

// SimInfo is ncclSimInfo_t, 24 bytes.
type SimInfo struct {
	Size          uint64
	Magic         uint32
	Version       uint32
	EstimatedTime float32 // microseconds, of the last collective; -1: not known
	_             uint32
}

// simMagic is the number that marks a SimInfo.
const simMagic = 0x74685283

// GroupStart is ncclGroupStart. The caller holds its thread until GroupEnd.
func (l *Library) GroupStart() error { return l.do(abi.NCCLGroupStart) }

// GroupEnd is ncclGroupEnd.
func (l *Library) GroupEnd() error { return l.do(abi.NCCLGroupEnd) }

// GroupSimulateEnd is ncclGroupSimulateEnd (2.22).
func (l *Library) GroupSimulateEnd() (SimInfo, error) {
	s := dl.Borrow()
	defer s.Return()
	info := dl.In(s, SimInfo{Size: 24, Magic: simMagic, Version: configVersion, EstimatedTime: -1})
	err := l.do(abi.NCCLGroupSimulateEnd, dl.Addr(info))
	return *info, err
}
