package launcher

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/goshmem/goshmem/internal/env"
)

// Names of torchrun: with these set too, PyTorch and Go ranks can mix.
const (
	torchRank      = "RANK"
	torchSize      = "WORLD_SIZE"
	torchLocalRank = "LOCAL_RANK"
	torchLocalSize = "LOCAL_WORLD_SIZE"
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
	torchRank: true, torchSize: true, torchLocalRank: true, torchLocalSize: true,
}

// meeting is what the ranks of one job share in order to find and trust each other.
type meeting struct {
	rdzv, token, port string
}

// newMeeting draws a fresh meeting: names that cannot be guessed and a port that
// is free now. MASTER_PORT cannot be held open for the ranks, so that another
// program may take it; our own store does not depend on it.
func newMeeting() (meeting, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return meeting{}, fmt.Errorf("no free port on the loopback interface: %w", err)
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err := l.Close(); err != nil {
		return meeting{}, fmt.Errorf("release the port for %s: %w", masterPort, err)
	}
	return meeting{rdzv: "unix:@goshmem-" + randomHex(16), token: randomHex(32), port: port}, err
}

// shown is a meeting for people: dry runs start nothing and must not print
// what looks like a secret.
var shown = meeting{rdzv: "unix:@goshmem-<random>", token: "<random>", port: "<free port>"}

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

// exported returns the variables that make a process rank r of n.
func (m meeting) exported(r, n int) []string {
	rank, size := strconv.Itoa(r), strconv.Itoa(n)
	return []string{
		env.Rank + "=" + rank, env.Size + "=" + size,
		env.LocalRank + "=" + rank, env.LocalSize + "=" + size,
		env.Rdzv + "=" + m.rdzv, env.Token + "=" + m.token,
		torchRank + "=" + rank, torchSize + "=" + size,
		torchLocalRank + "=" + rank, torchLocalSize + "=" + size,
		masterAddr + "=127.0.0.1", masterPort + "=" + m.port,
	}
}

// environ returns the whole environment of rank r. The user's additions come
// last, so that MASTER_ADDR and MASTER_PORT may be given by hand.
func (m meeting) environ(s Spec, r int) []string {
	own := m.exported(r, s.N)
	if s.Dir != "" {
		own = append(own, "PWD="+s.Dir)
	}
	return override(inherited(os.Environ()), override(own, s.Env))
}
