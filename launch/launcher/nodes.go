package launcher

import (
	"net"
	"strconv"
	"strings"
	"time"
)

// Nodes says which part of a job over several machines runs here. The launcher runs once
// on each; all of them get the same Count, Rendezvous and Token.
type Nodes struct {
	Count, Rank int           // how many machines there are, and the number of this one
	Rendezvous  string        // tcp:host:port, where host is that of node 0
	Token       string        // secret of the job; ""; none, and whoever reaches the rendezvous may join
	Wait        time.Duration // for the others to come; 0: 5m
}

// Bounds of a job over several machines.
const (
	maxNodes    = 1 << 16
	defaultWait = 5 * time.Minute
	rankPorts   = 16 // after the port of the rendezvous, where the ranks meet
)

func (n *Nodes) check() error {
	switch {
	case n == nil:
		return nil
	case n.Count < 1 || n.Count > maxNodes:
		return usageError("number of nodes is %d: want 1 to %d", n.Count, maxNodes)
	case n.Rank < 0 || n.Rank >= n.Count:
		return usageError("node rank is %d: with %d nodes it is 0 to %d", n.Rank, n.Count, n.Count-1)
	case n.Wait < 0:
		return usageError("time to wait for the other nodes is %v: leave it out for %v", n.Wait, defaultWait)
	}
	_, port, err := n.place()
	if err != nil || port < 1 || port+rankPorts > 65535 {
		return usageError("rendezvous %q: want host:port, where host is that of node 0 (an IPv6 address in brackets) and the port is at most %d", strings.TrimPrefix(n.Rendezvous, "tcp:"), 65535-rankPorts)
	}
	return nil
}

// place is the host and the port of the rendezvous.
func (n *Nodes) place() (host string, port int, err error) {
	at, ok := strings.CutPrefix(n.Rendezvous, "tcp:")
	if !ok {
		return "", 0, strconv.ErrSyntax
	}
	host, number, err := net.SplitHostPort(at)
	if err != nil || host == "" {
		return "", 0, strconv.ErrSyntax
	}
	port, err = strconv.Atoi(number)
	return host, port, err
}

// meeting is what is known of the meeting before the others have come, if as many ranks
// run everywhere as here. The launchers hold the port itself, the ranks take one of those
// that follow.
func (n *Nodes) meeting(here int) meeting {
	host, _, err := n.place()
	if err != nil {
		host = "" // which check has refused
	}
	return meeting{
		rdzv: n.Rendezvous + "+" + strconv.Itoa(rankPorts), host: host,
		first: n.Rank * here, here: here, size: n.Count * here, node: n.Rank, nodes: n.Count,
	}
}

// shown is that meeting for people.
func (n *Nodes) shown(here int) meeting {
	m := n.meeting(here)
	m.token, m.port = "<random>", "<free port>"
	if n.Token != "" {
		m.token = "<random, mixed with GOSHMEM_TOKEN>"
	}
	return m
}
