package nccl

import (
	"fmt"
	"math"
	"os"
	"strings"
	"time"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/env"
)

// Exchange is what [Init] needs of the outside: a broadcast of short buffers of the same
// length and a barrier. Launched jobs bring their own; give one to start over MPI, gRPC or
// anything else.
type Exchange = engine.Exchange

// Options say how to make a communicator. The zero value is right under a launcher.
type Options struct {
	// Rank and Size are this rank's place. Size 0 takes both from the launcher.
	Rank, Size int
	// Group names a subset of the launched processes that makes a communicator of its own,
	// with Rank and Size counted within it.
	Group string
	// Exchange replaces the rendezvous of the launcher; it needs Rank and Size.
	Exchange Exchange
	// ID replaces the rendezvous, too: NewUniqueID made it on one rank, and the program has
	// brought it to all. It needs Rank and Size. Versions and devices of the ranks are not
	// compared then.
	ID *UniqueID
	// IDs, instead of ID, are several that as many ranks have made, which spreads the work of
	// starting a large job: at most one for each rank (NCCL 2.23).
	IDs []UniqueID
	// Device is the rank's device. nil: that of the best platform whose number is the local
	// rank, or the only one.
	Device *gpu.Device
	// Library forces a library: nccl, rccl or host (GOSHMEM_NCCL). Path is its file, instead
	// of what the search finds (NCCL_LIBRARY).
	Library, Path string
	// Config is what the library is told.
	Config Config
	// Timeout bounds waits whose context has no deadline, and those of calls without a
	// context. 0: GOSHMEM_TIMEOUT, or 5 minutes. No other limit shortens it.
	Timeout time.Duration
	// Check turns checked mode on or off (GOSHMEM_CHECK).
	Check Check
	// Logf gets what is worth knowing but no error, such as variables of the library that
	// differ between ranks. nil: nobody does; in checked mode it goes to stderr. Several ranks
	// of a process may call it at the same time.
	Logf func(format string, args ...any)
}

// Check is whether checked mode is on.
type Check int

// The settings.
const (
	CheckDefault Check = iota // what GOSHMEM_CHECK says
	CheckOff
	CheckOn
)

const defaultTimeout = 5 * time.Minute

// settled are the options with what the environment says.
type settled struct {
	Options
	checked bool
	grow    bool // the communicator is one that others grow
}

func (o Options) settle() (settled, error) {
	s := settled{Options: o}
	if err := env.Check(); err != nil {
		return s, problem(ErrArgument, "%v", err)
	}
	var err error
	if s.Timeout, err = o.timeout(); err != nil {
		return s, err
	}
	s.checked = o.Check == CheckOn || o.Check == CheckDefault && os.Getenv(env.Checked) == "1"
	if s.Logf == nil {
		s.Logf = func(string, ...any) {}
		if s.checked {
			s.Logf = func(format string, args ...any) { fmt.Fprintf(os.Stderr, "nccl: "+format+"\n", args...) }
		}
	}
	if s.Library == "" {
		s.Library = os.Getenv(env.NCCL)
	}
	switch s.Library {
	case "", nameNCCL, nameRCCL, nameHost:
	default:
		return s, problem(ErrArgument, "no library is called %q: Options.Library and %s are nccl, rccl or host", s.Library, env.NCCL)
	}
	return s, checkConfig(&o.Config)
}

func (o Options) timeout() (time.Duration, error) {
	text := os.Getenv(env.Timeout)
	switch {
	case o.Timeout < 0:
		return 0, problem(ErrArgument, "Options.Timeout of %v is negative", o.Timeout)
	case o.Timeout > 0:
		return o.Timeout, nil
	case text == "":
		return defaultTimeout, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, problem(ErrArgument, "%s=%q is not a positive duration such as 30s or 5m", env.Timeout, text)
	}
	return d, nil
}

// checkConfig finds what libraries would refuse with no more than a code, or misunderstand.
func checkConfig(c *Config) error {
	switch {
	case (c.MinCTAs == nil) != (c.MaxCTAs == nil):
		return problem(ErrArgument, "Config.MinCTAs and MaxCTAs: set both or none, since NCCL compares one with the other")
	case len(c.Name) > 1<<10 || len(c.Net) > 1<<10 || strings.ContainsRune(c.Name+c.Net, 0):
		return problem(ErrArgument, "Config.Name and Config.Net have at most 1024 bytes, none of them zero")
	case c.MinCTAs != nil && (*c.MinCTAs < 1 || *c.MaxCTAs < *c.MinCTAs):
		return problem(ErrArgument, "Config.MinCTAs %d and MaxCTAs %d: at least 1, and not less than the first", *c.MinCTAs, *c.MaxCTAs)
	}
	for _, r := range []struct {
		name     string
		v        *int
		low, top int
	}{
		{"CGAClusterSize", c.CGAClusterSize, 0, 8}, {"TrafficClass", c.TrafficClass, 0, math.MaxInt32}, {"CTAPolicy", c.CTAPolicy, 0, 3},
		{"NVLSCTAs", c.NVLSCTAs, 1, math.MaxInt32}, {"ChannelsPerPeer", c.ChannelsPerPeer, 1, math.MaxInt32},
		{"GraphUsage", c.GraphUsage, 0, 2}, {"RMAContexts", c.RMAContexts, 0, math.MaxInt32},
		{"MaxP2PPeers", c.MaxP2PPeers, 1, math.MaxInt32}, {"RMASignals", c.RMASignals, 1, math.MaxInt32},
	} {
		if r.v != nil && (*r.v < r.low || *r.v > r.top) {
			return problem(ErrArgument, "Config.%s of %d: %d to %d is possible", r.name, *r.v, r.low, r.top)
		}
	}
	return nil
}
