package launcher

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/goshmem/goshmem/internal/env"
	"github.com/goshmem/goshmem/launch"
)

// Names of torchrun: with these set too, PyTorch and Go ranks can mix.
const (
	torchRank      = "RANK"
	torchSize      = "WORLD_SIZE"
	torchLocalRank = "LOCAL_RANK"
	torchLocalSize = "LOCAL_WORLD_SIZE"
	torchNode      = "GROUP_RANK"
	torchNodes     = "GROUP_WORLD_SIZE"
	masterAddr     = "MASTER_ADDR"
	masterPort     = "MASTER_PORT"

	// elastic starts torchrun's other names. Inherited ones would tell a rank
	// that an agent, which this job does not have, holds the master port.
	elastic = "TORCHELASTIC_"
)

// reserved are the names whose values only the launcher knows.
var reserved = map[string]bool{
	env.Rank: true, env.Size: true, env.LocalRank: true, env.LocalSize: true,
	env.Rdzv: true, env.Token: true, env.NodeRank: true, env.Nodes: true,
	torchRank: true, torchSize: true, torchLocalRank: true, torchLocalSize: true, torchNode: true, torchNodes: true,
}

// meeting is what the ranks of one job share in order to find and trust each other, and
// where those of this machine stand among them.
type meeting struct {
	rdzv, token string
	host, port  string   // MASTER_ADDR and MASTER_PORT
	extra       []string // more variables for the ranks of this machine, which do not replace any

	first, here, size int // ranks: the first of this machine, how many are here, and of the job
	node, nodes       int // number of this machine, and how many there are; nodes 0: it is alone
}

// newMeeting draws a fresh meeting of n ranks on this machine: names that cannot be
// guessed and a port that is free now. MASTER_PORT cannot be held open for the ranks, so
// that another program may take it; our own store does not depend on it.
func newMeeting(n int) (meeting, error) {
	port, err := freePort("127.0.0.1:0")
	return meeting{rdzv: "unix:@goshmem-" + randomHex(16), token: randomHex(32), host: "127.0.0.1", port: port, here: n, size: n}, err
}

// freePort returns a port that is free at an address without one.
func freePort(at string) (string, error) {
	l, err := net.Listen("tcp", at)
	if err != nil {
		return "", fmt.Errorf("no free port at %s: %w", at, err)
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	return port, errors.Join(err, l.Close())
}

// shown is a meeting for people: dry runs start nothing and must not print
// what looks like a secret.
func shown(n int) meeting {
	return meeting{rdzv: "unix:@goshmem-<random>", token: "<random>", host: "127.0.0.1", port: "<free port>", here: n, size: n}
}

// place is this machine in messages.
func (m meeting) place() string {
	if m.nodes == 0 {
		return hostName()
	}
	return fmt.Sprintf("%s, node %d", hostName(), m.node)
}

// job is what package launch must know of the meeting.
func (m meeting) job() launch.Job {
	return launch.Job{Rendezvous: m.rdzv, Token: m.token, NodeRank: m.node, Nodes: m.nodes}
}

func randomHex(bytes int) string {
	b := make([]byte, bytes)
	rand.Read(b) // documented never to fail
	return hex.EncodeToString(b)
}

// inherited returns environ without what an outer launcher set about itself.
func inherited(environ []string) []string {
	return slices.DeleteFunc(environ, func(line string) bool {
		name, _, _ := strings.Cut(line, "=")
		return reserved[name] || name == env.TestCall || name == env.Program || strings.HasPrefix(name, elastic)
	})
}

// override returns environ with the entries of more put in the place of those
// with the same name: which of two equal names counts differs between programs.
func override(environ, more []string) []string {
	at := map[string]int{}
	var out []string
	for _, line := range slices.Concat(environ, more) {
		name, _, _ := strings.Cut(line, "=")
		if i, ok := at[name]; ok {
			out[i] = line
			continue
		}
		at[name] = len(out)
		out = append(out, line)
	}
	return out
}

// exported returns the variables that make a process the i-th rank of this machine.
func (m meeting) exported(i int) []string {
	rank, size := strconv.Itoa(m.first+i), strconv.Itoa(m.size)
	local, here := strconv.Itoa(i), strconv.Itoa(m.here)
	own := []string{
		env.Rank + "=" + rank, env.Size + "=" + size,
		env.LocalRank + "=" + local, env.LocalSize + "=" + here,
		env.Rdzv + "=" + m.rdzv, env.Token + "=" + m.token,
		torchRank + "=" + rank, torchSize + "=" + size,
		torchLocalRank + "=" + local, torchLocalSize + "=" + here,
		masterAddr + "=" + m.host, masterPort + "=" + m.port,
	}
	if m.nodes > 0 {
		node, nodes := strconv.Itoa(m.node), strconv.Itoa(m.nodes)
		own = append(own, env.NodeRank+"="+node, env.Nodes+"="+nodes, torchNode+"="+node, torchNodes+"="+nodes)
	}
	return own
}

// environ returns the whole environment of the i-th rank. The user's additions come
// last, so that MASTER_ADDR and MASTER_PORT may be given by hand; what is only found out
// comes first.
func (m meeting) environ(s Spec, i int) []string {
	own := m.exported(i)
	if s.Dir != "" {
		own = append(own, "PWD="+s.Dir)
	}
	return override(override(m.extra, inherited(os.Environ())), override(own, s.Env))
}
