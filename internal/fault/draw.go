package fault

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"time"
)

// Settle returns the faults as they are in a world of so many PEs: what a seed has to
// draw is drawn, and PEs and nodes that are not there are an error. A node size of 0 is one
// node.
func Settle(all []Fault, pes, nodeSize int) ([]Fault, error) {
	settled := make([]Fault, len(all))
	for i, f := range all {
		nodes := Nodes(pes, nodeSize)
		if f.seeded {
			f.draw(pes, nodes)
		}
		if err := f.fits(pes, nodes); err != nil {
			return nil, fmt.Errorf("in %q: %w", f.From, err)
		}
		settled[i] = f
	}
	return settled, nil
}

// Nodes is how many virtual nodes a world has.
func Nodes(pes, nodeSize int) int {
	if nodeSize == 0 {
		return 1
	}
	return (pes + nodeSize - 1) / nodeSize
}

// draw fills in what was left out. Each key has a number of its own, so that giving one
// leaves the others as they are.
func (f *Fault) draw(pes, nodes int) {
	for _, key := range keysOf(f.Verb) {
		if f.has(key) {
			continue
		}
		h := fnv.New64a()
		h.Write([]byte(string(f.Verb) + " " + key))
		rng := rand.New(rand.NewPCG(f.seed, h.Sum64()))
		switch key {
		case "pe":
			f.PE = rng.IntN(pes)
		case "op":
			f.Op = Any
		case "n":
			f.N = 1 + rng.IntN(f.upto)
		case "by":
			f.By = time.Duration(1+rng.IntN(20)) * time.Millisecond
		case "node":
			f.Node = rng.IntN(nodes)
		case "link":
			f.Link[0] = rng.IntN(pes)
			f.Link[1] = (f.Link[0] + 1 + rng.IntN(max(1, pes-1))) % pes
		}
	}
}

// fits says what a world lacks.
func (f *Fault) fits(pes, nodes int) error {
	switch f.Verb {
	case Slow:
		if f.Link[0] == f.Link[1] {
			return fmt.Errorf("a world of one PE has no link")
		}
		return inWorld(pes, f.Link[:]...)
	case Lose:
		if f.Node >= nodes {
			return fmt.Errorf("there is no virtual node %d: there are %d (GOSHMEM_NODE_SIZE)", f.Node, nodes)
		}
		return nil
	}
	return inWorld(pes, f.PE)
}

func inWorld(pes int, these ...int) error {
	for _, pe := range these {
		if pe >= pes {
			return fmt.Errorf("there is no PE %d: the world has %d", pe, pes)
		}
	}
	return nil
}
