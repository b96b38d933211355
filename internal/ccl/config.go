package ccl

// Config is what a communicator can be told about itself (ncclConfig_t). Nil and "" leave
// the choice to the library. Libraries say by Tuner which of it they do not know.
type Config struct {
	Blocking *bool // false: calls return before they are done, and AsyncError tells when they are
	Name     string
	Net      string

	CGAClusterSize   *int
	MinCTAs          *int
	MaxCTAs          *int
	SplitShare       *bool
	TrafficClass     *int
	CollNet          *bool
	CTAPolicy        *int
	ShrinkShare      *bool
	NVLSCTAs         *int
	ChannelsPerPeer  *int
	NVLinkCentric    *bool
	GraphUsage       *int
	RMAContexts      *int
	MaxP2PPeers      *int
	GraphStreamOrder *bool
	LaunchOrder      *bool
	RMASignals       *int
	RMAEager         *bool
	HostCFTMode      *int
	NVLSHostMode     *int
}
