package raw

import (
	"math"

	"github.com/goshmem/goshmem/internal/dl"
)

const (
	// Undefined is the value of an int in a Config that leaves the choice to the library.
	Undefined = math.MinInt32

	magic         = 0xcafebeef
	configVersion = 23007 // of the layout that we have from the header
	configSize    = 96
	laterVersion  = 23200 // of the fields behind it
	laterSize     = 120
)

// Config is ncclConfig_t up to 2.32; sizes and versions are filled in. An older library
// reads the beginning of it. The fields from LaunchOrderImplicit on are passed only if one
// of them is set. Make it with NewConfig.
type Config struct {
	Size    uint64
	Magic   uint32
	Version uint32

	Blocking            int32
	CGAClusterSize      int32
	MinCTAs             int32 // set both or none
	MaxCTAs             int32
	netName             uintptr
	SplitShare          int32
	TrafficClass        int32 // 2.26
	commName            uintptr
	CollNetEnable       int32 // 2.27
	CTAPolicy           int32 // 2.27
	ShrinkShare         int32 // 2.27
	NVLSCTAs            int32 // 2.27
	NChannelsPerNetPeer int32 // 2.28
	NVLinkCentricSched  int32 // 2.28
	GraphUsageMode      int32 // 2.29
	NumRMACtx           int32 // 2.29
	MaxP2PPeers         int32 // 2.30
	GraphStreamOrdering int32 // 2.30.7
	LaunchOrderImplicit int32 // 2.31
	NumRMASig           int32 // 2.31
	RMAEagerInit        int32 // 2.31
	HostCFTMode         int32 // 2.31.1
	NVLSHostMode        int32 // 2.32
	_                   int32

	NetName  string // such as "IB"; "": undefined
	CommName string // kept for ever (2.27); "": undefined
}

// NewConfig is a Config with nothing set.
func NewConfig() *Config {
	const u = Undefined
	return &Config{Size: configSize, Magic: magic, Version: configVersion,
		Blocking: u, CGAClusterSize: u, MinCTAs: u, MaxCTAs: u, SplitShare: u, TrafficClass: u,
		CollNetEnable: u, CTAPolicy: u, ShrinkShare: u, NVLSCTAs: u, NChannelsPerNetPeer: u, NVLinkCentricSched: u,
		GraphUsageMode: u, NumRMACtx: u, MaxP2PPeers: u, GraphStreamOrdering: u,
		LaunchOrderImplicit: u, NumRMASig: u, RMAEagerInit: u, HostCFTMode: u, NVLSHostMode: u}
}

// later says whether a field is set that is known from guides only.
func (c *Config) later() bool {
	for _, v := range []int32{c.LaunchOrderImplicit, c.NumRMASig, c.RMAEagerInit, c.HostCFTMode, c.NVLSHostMode} {
		if v != Undefined {
			return true
		}
	}
	return false
}

// config copies c to where C can read it during a call; nil is NULL.
func (l *Library) config(s *dl.Scratch, c *Config) uintptr {
	if c == nil {
		return 0
	}
	block := *c
	block.Size, block.Magic, block.Version = configSize, magic, configVersion
	if c.later() {
		block.Size, block.Version = laterSize, laterVersion
	}
	block.netName, block.commName = 0, l.keep(c.CommName)
	if c.NetName != "" {
		block.netName = s.Text(c.NetName)
	}
	block.NetName, block.CommName = "", "" // no Go pointers there
	return dl.Addr(dl.In(s, block))
}

// CollConfig is ncclCollConfig_t (2.31), for one collective. Make it with NewCollConfig.
type CollConfig struct {
	Size              uint64
	Magic             uint32
	Version           uint32
	Ext               uintptr // a list of ncclConfigExt
	MinCTAs           int32
	MaxCTAs           int32
	NVLSCTAs          int32
	CGAClusterSize    int32
	algSelection      uintptr
	ForceAlgSelection int32
	CTAPolicy         int32
	UserProfilerTag   uint64

	AlgSelection string // such as "ring+simple,^tree"; "": undefined
}

// collSize is that of 2.31; 2.32 adds an event.
const collSize = 64

// NewCollConfig is a CollConfig with nothing set.
func NewCollConfig() *CollConfig {
	const u = Undefined
	return &CollConfig{Size: collSize, Magic: magic, Version: laterVersion,
		MinCTAs: u, MaxCTAs: u, NVLSCTAs: u, CGAClusterSize: u, ForceAlgSelection: 1, CTAPolicy: u}
}

// collConfig copies c to where C can read it during a call.
func collConfig(s *dl.Scratch, c *CollConfig) uintptr {
	if c == nil {
		return 0
	}
	block := *c
	block.algSelection = 0
	if c.AlgSelection != "" {
		block.algSelection = s.Text(c.AlgSelection)
	}
	block.AlgSelection = ""
	return dl.Addr(dl.In(s, block))
}
