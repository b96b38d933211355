package vendor

import (
	"github.com/goshmem/goshmem/internal/ccl"
	"github.com/goshmem/goshmem/nccl/raw"
)

// field is a part of a config that a version has added.
type field struct {
	name  string
	since int
	from  func(c *ccl.Config) any // *int or *bool
	to    func(r *raw.Config) *int32
}

// fields lists all but the texts.
func fields() []field {
	type c = ccl.Config
	type r = raw.Config
	return []field{
		{"Blocking", 21400, func(c *c) any { return c.Blocking }, func(r *r) *int32 { return &r.Blocking }},
		{"CGAClusterSize", 21700, func(c *c) any { return c.CGAClusterSize }, func(r *r) *int32 { return &r.CGAClusterSize }},
		{"MinCTAs", 21700, func(c *c) any { return c.MinCTAs }, func(r *r) *int32 { return &r.MinCTAs }},
		{"MaxCTAs", 21700, func(c *c) any { return c.MaxCTAs }, func(r *r) *int32 { return &r.MaxCTAs }},
		{"SplitShare", 21800, func(c *c) any { return c.SplitShare }, func(r *r) *int32 { return &r.SplitShare }},
		{"TrafficClass", 22600, func(c *c) any { return c.TrafficClass }, func(r *r) *int32 { return &r.TrafficClass }},
		{"CollNet", 22700, func(c *c) any { return c.CollNet }, func(r *r) *int32 { return &r.CollNetEnable }},
		{"CTAPolicy", 22700, func(c *c) any { return c.CTAPolicy }, func(r *r) *int32 { return &r.CTAPolicy }},
		{"ShrinkShare", 22700, func(c *c) any { return c.ShrinkShare }, func(r *r) *int32 { return &r.ShrinkShare }},
		{"NVLSCTAs", 22700, func(c *c) any { return c.NVLSCTAs }, func(r *r) *int32 { return &r.NVLSCTAs }},
		{"ChannelsPerPeer", 22800, func(c *c) any { return c.ChannelsPerPeer }, func(r *r) *int32 { return &r.NChannelsPerNetPeer }},
		{"NVLinkCentric", 22800, func(c *c) any { return c.NVLinkCentric }, func(r *r) *int32 { return &r.NVLinkCentricSched }},
		{"GraphUsage", 22900, func(c *c) any { return c.GraphUsage }, func(r *r) *int32 { return &r.GraphUsageMode }},
		{"RMAContexts", 22900, func(c *c) any { return c.RMAContexts }, func(r *r) *int32 { return &r.NumRMACtx }},
		{"MaxP2PPeers", 23000, func(c *c) any { return c.MaxP2PPeers }, func(r *r) *int32 { return &r.MaxP2PPeers }},
		{"GraphStreamOrder", 23007, func(c *c) any { return c.GraphStreamOrder }, func(r *r) *int32 { return &r.GraphStreamOrdering }},
		{"LaunchOrder", 23100, func(c *c) any { return c.LaunchOrder }, func(r *r) *int32 { return &r.LaunchOrderImplicit }},
		{"RMASignals", 23100, func(c *c) any { return c.RMASignals }, func(r *r) *int32 { return &r.NumRMASig }},
		{"RMAEager", 23100, func(c *c) any { return c.RMAEager }, func(r *r) *int32 { return &r.RMAEagerInit }},
		{"HostCFTMode", 23101, func(c *c) any { return c.HostCFTMode }, func(r *r) *int32 { return &r.HostCFTMode }},
		{"NVLSHostMode", 23200, func(c *c) any { return c.NVLSHostMode }, func(r *r) *int32 { return &r.NVLSHostMode }},
	}
}

// value is what a field is set to.
func value(of any) (v int32, set bool) {
	switch p := of.(type) {
	case *int:
		if p != nil {
			return int32(*p), true
		}
	case *bool:
		if p != nil && *p {
			return 1, true
		}
		return 0, p != nil
	}
	return 0, false
}

// configOf is a config as the library has it; nil stays nil.
func configOf(c *ccl.Config) *raw.Config {
	if c == nil {
		return nil
	}
	r := raw.NewConfig()
	r.NetName, r.CommName = c.Net, c.Name
	for _, f := range fields() {
		if v, set := value(f.from(c)); set {
			*f.to(r) = v
		}
	}
	return r
}

// Ignored lists what is set and unknown to the loaded version.
func (l *library) Ignored(c *ccl.Config) []string {
	var list []string
	if c == nil {
		return nil
	}
	if c.Name != "" && l.Version() < 22700 {
		list = append(list, "Name")
	}
	for _, f := range fields() {
		if _, set := value(f.from(c)); set && l.Version() < f.since {
			list = append(list, f.name)
		}
	}
	return list
}
