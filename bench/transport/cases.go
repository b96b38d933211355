// Package transport measures internal/ucx beside UCX's own ucx_perftest: the same library,
// transport and operations between two processes of this machine.
package transport

import "fmt"

// Case is one thing that is measured on both sides.
type Case struct {
	Op    string // see the constants
	Size  int    // bytes
	Net   bool   // over TCP on the loopback device, else shared memory
	N     int    // operations of a sample
	Sleep bool   // our target process sleeps instead of looking for work
}

// The operations, and what they are to ucx_perftest.
const (
	Latency   = "ucp_put_lat" // one way, half of a ping-pong of puts
	Get       = "ucp_get"
	FetchAdd  = "ucp_fadd"
	Bandwidth = "ucp_put_bw"
)

// cases are all rows, each with so many operations that a sample takes tens of milliseconds
// at the least, and where TCP's pace changes from one moment to the next, half a second.
// ucx_perftest's get does not come back over TCP.
func cases() []Case {
	return []Case{
		{Op: Latency, Size: 8, N: 400_000}, {Op: Get, Size: 8, N: 2_000_000}, {Op: FetchAdd, Size: 8, N: 2_000_000},
		{Op: Latency, Size: 8, Net: true, N: 8000}, {Op: FetchAdd, Size: 8, Net: true, N: 8000}, {Op: FetchAdd, Size: 8, Net: true, N: 8000, Sleep: true},
		{Op: Bandwidth, Size: 4 << 10, N: 1_000_000}, {Op: Bandwidth, Size: 64 << 10, N: 60_000}, {Op: Bandwidth, Size: 1 << 20, N: 2000},
		{Op: Bandwidth, Size: 4 << 10, Net: true, N: 120_000}, {Op: Bandwidth, Size: 64 << 10, Net: true, N: 10_000}, {Op: Bandwidth, Size: 1 << 20, Net: true, N: 300},
	}
}

// single says whether each operation is timed by itself, and the median counts. Shorter
// ones would be hidden by the clock: there it is the mean of all.
func (c Case) single() bool { return c.Net && c.Op != Bandwidth }

// name is what the row is called.
func (c Case) name() string {
	way, what := "posix", map[string]string{Latency: "put latency", Get: "get", FetchAdd: "fetch_add", Bandwidth: "put bandwidth"}[c.Op]
	if c.Net {
		way = "tcp"
	}
	size := fmt.Sprintf("%d B", c.Size)
	if c.Size >= 1<<10 {
		size = fmt.Sprintf("%d KiB", c.Size>>10)
	}
	if c.Sleep {
		size += ", target asleep"
	}
	return fmt.Sprintf("%s, %s %s", way, what, size)
}

// wanted is the largest ratio of times that is good enough; 0: none.
func (c Case) wanted(theirs float64) float64 {
	switch {
	case c.Sleep || theirs == 0:
		return 0
	case c.Op == Bandwidth:
		return 1 / 0.95
	case c.Net:
		return 1.15
	}
	return 1 + 40/theirs // nanoseconds: what getting into C and back may cost
}

// environment is what both sides have UCX use.
func (c Case) environment() []string {
	if c.Net {
		return []string{"UCX_TLS=tcp", "UCX_NET_DEVICES=lo", "UCX_LOG_LEVEL=fatal"}
	}
	return []string{"UCX_TLS=posix,self", "UCX_LOG_LEVEL=fatal"}
}
