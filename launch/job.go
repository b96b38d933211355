package launch

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// MaxSize is the largest number of processes in a job. It exists so that a
// mistyped size is an error and not an exhausted memory.
const MaxSize = 1 << 20

// Job is the place of this process among those that were started together.
type Job struct {
	Family               string // whose variables said so: goshmem, torchrun, ... none
	Rank, Size           int
	LocalRank, LocalSize int      // among the processes on this machine; -1: unknown
	NodeRank, Nodes      int      // number of this machine, and how many there are, as the launcher has it; Nodes 0: unknown
	Rendezvous           string   // where to meet; "": not needed (Size 1) or not known
	Token                string   // secret of the job; may be empty
	Name                 string   // the same on all ranks, differs between jobs
	Outer                []string // families around the innermost one, for information

	noun  string // what messages call a member; "": rank
	vigil *vigil // is told what is waited for; nil: nobody is
}

// Group is a job made of some of the processes of j: those that call Group with
// the same name, each with its own rank below size. It meets at a place of its
// own, derived from that of j. Over tcp rank 0 of the group must run on the host
// that the rendezvous names, because that is where the others look for it. That a
// member has ended before it joined is not noticed there: the time limit counts.
func (j Job) Group(name string, rank, size int) (Job, error) {
	if name == "" {
		return Job{}, fmt.Errorf("launch: group: a name is needed, the same on all members")
	}
	g := j
	g.Rank, g.Size, g.LocalRank, g.LocalSize, g.NodeRank, g.Nodes = rank, size, -1, -1, 0, 0
	g.Name = j.Name + "/" + name
	if err := g.check(); err != nil {
		return Job{}, fmt.Errorf("launch: group %q: %w", name, err)
	}
	if size == 1 || j.Rendezvous == "" {
		g.Rendezvous = ""
		return g, nil
	}
	at, err := parseAddress(j.Rendezvous)
	if err != nil {
		return Job{}, fmt.Errorf("launch: group %q: %w", name, err)
	}
	g.Rendezvous = at.derive(g.Name).String()
	return g, nil
}

// String describes the job without its token.
func (j Job) String() string {
	return fmt.Sprintf("rank %d of %d (local %d of %d), started by %s, outside %v, job %s at %q",
		j.Rank, j.Size, j.LocalRank, j.LocalSize, j.Family, j.Outer, j.Name, j.Rendezvous)
}

// check is for jobs that were not made by Detect.
func (j Job) check() error {
	if j.Size < 1 || j.Size > MaxSize {
		return fmt.Errorf("size %d is not within 1 and %d", j.Size, MaxSize)
	}
	if j.Rank < 0 || j.Rank >= j.Size {
		return fmt.Errorf("rank %d is not within 0 and %d", j.Rank, j.Size-1)
	}
	return nil
}

// digest makes a short name of things that identify a job together.
func digest(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s,", len(p), p) // lengths keep "a","bc" apart from "ab","c"
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}
