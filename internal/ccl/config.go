package ccl

// Config is what a communicator can be told about itself (ncclConfig_t). Nil and "" leave
// the choice to the library. Libraries say by Tuner which of it they do not know.
type Config struct {
	// Blocking false, which package nccl makes of nil, has the library do its calls on threads
	// of its own: what waits for other ranks ends with its context, and every wait is bounded.
	// The price is a new thread of NCCL's for each call or group, which a small call feels
	// (bench/nccl measures both). With true, calls are made on the caller's thread. Init,
	// Split, Shrink, Grow and NewWindow then end with their context, too, but the call goes on
	// in a thread that is given up; a collective or a group that does not come back is aborted
	// after Options.Timeout, or by AbortOn, from another thread, for which NCCL gives no promise
	// while a call is under way.
	Blocking *bool
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
