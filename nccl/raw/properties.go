package raw

import (
	"github.com/goshmem/goshmem/internal/abi"
	"github.com/goshmem/goshmem/internal/dl"
)

// Properties is ncclCommProperties_t as 2.29.7 to 2.30.7 have it, 56 bytes.
type Properties struct {
	Size             uint64
	Magic            uint32
	Version          uint32
	Rank             int32
	NRanks           int32
	CUDADev          int32
	NVMLDev          int32
	DeviceAPISupport bool
	MultimemSupport  bool
	GINType          int32
	NLSATeams        int32
	HostRMASupport   bool
	RailedGINType    int32
	_                int32
}

// CommQueryProperties is ncclCommQueryProperties, with the layout of 2.29.7; 2.29.2 and
// 2.29.3, which have another, are refused. The version that it asks for is not above the
// library's.
func (l *Library) CommQueryProperties(comm Comm) (Properties, error) {
	if l.version < 22907 && l.fn[abi.NCCLCommQueryProperties] != 0 {
		e := l.lacks(abi.NCCLCommQueryProperties).(*Error)
		e.Text = "NCCL " + abi.NCCLVersion(l.version) + " lays its properties out in another way than 2.29.7 and later"
		return Properties{}, e
	}
	s := dl.Borrow()
	defer s.Return()
	p := dl.In(s, Properties{Size: 56, Magic: magic, Version: uint32(min(l.version, configVersion))})
	err := l.do(abi.NCCLCommQueryProperties, uintptr(comm), dl.Addr(p))
	return *p, err
}
