package nvshmem

import (
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"

	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/engine/block"
)

// The words that a PE tells before the start.
const (
	wordVersion = iota
	wordHeap
	wordGPU  // made of its unique name
	wordFree // bytes of its memory
)

// tell is what this PE says of itself.
func (j *joiner) tell() (engine.Words, error) {
	p, err := j.GPU.Properties(j.Dev)
	if err != nil {
		return engine.Words{}, err
	}
	free, _, err := j.GPU.MemoryInfo(j.Dev)
	if err != nil {
		return engine.Words{}, err
	}
	gpu := fnv.New64a()
	fmt.Fprint(gpu, p.UUID)
	return engine.Words{packVersion(j.lib.version), uint64(j.Bytes), gpu.Sum64(), free}, nil
}

// packVersion makes a word of a version, which may have fewer than three parts.
func packVersion(version string) (word uint64) {
	parts := append(strings.Split(version, "."), "0", "0")
	for _, part := range parts[:3] {
		n, err := strconv.ParseUint(part, 10, 16)
		if err != nil { // what follows the number is compared by nobody
			n = 0
		}
		word = word<<16 | n
	}
	return word
}

func versionText(word uint64) string {
	return fmt.Sprintf("%d.%d.%d", word>>32, word>>16&0xffff, word&0xffff)
}

// disagreement is why the library would not start with such PEs, or end the processes.
func disagreement(all []engine.Words, self int) error {
	sharing := map[uint64]int{}
	for pe, words := range all {
		mine := all[self]
		sharing[words[wordGPU]]++
		if words[wordVersion] != mine[wordVersion] {
			return block.Differ("nvshmem: PE %d has loaded version %s of the library and this PE %s: NVSHMEM_HOME must lead to the same one everywhere", pe, versionText(words[wordVersion]), versionText(mine[wordVersion]))
		}
		if words[wordHeap] != mine[wordHeap] {
			return block.Differ("PE %d has a heap of %d bytes, this PE %d: GOSHMEM_HEAP_SIZE must be the same everywhere", pe, words[wordHeap], mine[wordHeap])
		}
	}
	return crowded(all, sharing, self)
}

// crowded looks at how PEs share GPUs.
func crowded(all []engine.Words, sharing map[uint64]int, self int) error {
	for pe, words := range all {
		n := sharing[words[wordGPU]]
		if mine := sharing[all[self][wordGPU]]; n != mine {
			return fmt.Errorf("nvshmem: %w: %d PEs share the GPU of PE %d and %d that of this PE, and NVSHMEM wants as many on each: start a multiple of the number of GPUs", device.ErrUnsupported, n, pe, mine)
		}
		if need := uint64(n) * (words[wordHeap] + reserve); need > words[wordFree] {
			return fmt.Errorf("nvshmem: %w: the symmetric memory of %d PEs on the GPU of PE %d takes %d bytes, of which %d are free: lower GOSHMEM_HEAP_SIZE", device.ErrMemory, n, pe, need, words[wordFree])
		}
	}
	return nil
}
