//go:build race

package network

import (
	"math/bits"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/goshmem/goshmem/internal/mem"
)

// lateness is what weak mode adds to race mode: how late operations are follows from a
// seed, the PE, the lane and the number of the operation there. Without a seed all
// are soon, by chance.
type lateness struct {
	seed uint64 // 0: none
	pe   int
	lane int
}

// How long operations take that nothing hurries.
const (
	maxLate = 3 * time.Millisecond
	minLate = 20 * time.Microsecond
)

// draw returns for how long an operation waits to be hurried, and how often it lets others
// go first then. At first one in two waits, and then fewer and fewer, so that a program of
// many steps does not take for ever.
func (l lateness) draw(number uint64) (wait time.Duration, yields int) {
	if l.seed == 0 {
		return 0, rand.IntN(4)
	}
	x := l.seed ^ uint64(l.pe)<<48 ^ uint64(l.lane)<<32 ^ number*0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	x ^= x >> 31
	yields = int(x >> 60)
	if rare := max(1, bits.Len64(number)-6); x&(1<<rare-1) != 0 {
		return 0, yields
	}
	return min(maxLate, minLate<<(x>>50&7)), yields
}

// await waits for an operation's time. A quiet, and a lane that is full, hurry it; so
// nothing is ordered by that.
func (l lateness) await(number uint64, hurry chan struct{}) {
	wait, yields := l.draw(number)
	if wait > 0 {
		clock := time.NewTimer(wait) // which the detector may see: it looks at settings of the process
		mem.Untrack()
		select {
		case <-hurry:
		case <-clock.C:
		}
		clock.Stop()
		mem.Track()
	}
	for range yields {
		runtime.Gosched()
	}
}
