package weak

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"time"
)

// How long things take. The longest times are far below any limit of a wait, so that
// a sound program is only slower.
const (
	maxHold = 3 * time.Millisecond   // before the first delivery by the clock
	minHold = 200 * time.Microsecond // the same, at least
	maxGap  = 300 * time.Microsecond // between deliveries by the clock, or of a quiet
	minGap  = 20 * time.Microsecond  // the same, at least
	overdue = 50 * time.Millisecond  // what is older goes first
	patient = 4 * maxQueue           // operations after which it goes first as well
	far     = int64(1) << 40         // later than any number of operations
)

// temper is how a link treats what goes to one PE.
type temper uint8

const (
	quick  temper = iota // most goes after few operations
	mixed                // from at once to after as many as the queue holds
	slow                 // nothing goes before it must
	upside               // what came last goes first
	tempers
)

// luck draws what becomes of the operations of a lane.
type luck struct {
	rng     *rand.Rand
	pauses  *rand.Rand // apart: how often it is drawn from depends on the clock
	paused  int        // so often
	tempers []temper   // of the links to each PE
	hold    time.Duration
	gap     time.Duration
	held    int // so often
}

func newLuck(seed uint64, pe, pes int, lane uint64) luck {
	rng := rand.New(rand.NewPCG(seed, uint64(pe)<<32|lane))
	l := luck{rng: rng, pauses: rand.New(rand.NewPCG(rng.Uint64(), 0)), tempers: make([]temper, pes)}
	for i := range l.tempers {
		l.tempers[i] = temper(rng.IntN(int(tempers)))
	}
	l.hold, l.gap = between(rng, minHold, maxHold), between(rng, minGap, maxGap)
	return l
}

// between draws a time, short ones as often as long ones: each doubling is as likely.
func between(rng *rand.Rand, least, most time.Duration) time.Duration {
	d := least
	for d < most && rng.IntN(4) > 0 {
		d *= 2
	}
	return min(d, most)
}

// due draws after how many more operations the one with number now arrives at pe.
func (l *luck) due(now int64, pe int) int64 {
	wide := 1 << l.rng.IntN(7) // to 64: drawn always, so that no link's luck hangs on another's
	delay := int64(l.rng.IntN(wide))
	switch l.tempers[pe] {
	case quick:
		return now + delay/8
	case slow:
		return far + now + delay
	case upside:
		return far - now
	}
	return now + delay
}

// wait is how long the first item of a queue waits for the clock: less and less.
func (l *luck) wait() time.Duration {
	if l.held++; l.held%(2*fewer) == 0 {
		l.hold = max(l.hold/2, minHold/2)
	}
	return l.hold
}

// pause says whether a quiet pauses now: less and less often.
func (l *luck) pause() bool {
	if l.pauses.IntN(2+l.paused/fewer*4) > 0 {
		return false
	}
	l.paused++
	return true
}

// split draws where a transfer of n bytes falls in two; 0: it does not.
func (l *luck) split(n uintptr) uintptr {
	at := l.rng.Uint64()
	if n <= 64 || at%4 != 0 {
		return 0
	}
	return uintptr(at>>2) % (n / 8) * 8
}

// skew makes a PE late for what others do: less and less often, so that a program of
// many steps does not take for ever.
type skew struct {
	mu    sync.Mutex
	rng   *rand.Rand
	often int // one in so many times
	times int // it was late since often changed
}

// fewer is how many pauses halve how often there are pauses.
const fewer = 16

func (s *skew) draw(seed uint64, pe int) {
	s.rng = rand.New(rand.NewPCG(seed, uint64(pe)<<32|1<<31))
	s.often = []int{2, 8, 32, 64}[s.rng.IntN(4)]
}

// stumble is late, sometimes.
func (s *skew) stumble() {
	s.mu.Lock()
	late := s.rng.IntN(s.often) == 0
	d := between(s.rng, minGap, maxGap)
	if late {
		if s.times++; s.times == fewer {
			s.times, s.often = 0, 2*s.often
		}
	}
	s.mu.Unlock()
	if late {
		idle(d)
	}
}

// apart is how much longer a quiet pauses where PEs are processes: one that sleeps comes to
// its core much later than a goroutine does.
const apart = 20

// pause is one of a quiet. Between processes it is a sleep: yielding there keeps a core
// from who should look.
func (h *Heap) pause(d time.Duration) {
	if h.Apart {
		time.Sleep(apart * d)
		return
	}
	idle(d)
}

// idle gives the core to others for so long. The times are shorter than what a sleep
// takes at least.
func idle(d time.Duration) {
	for start := time.Now(); time.Since(start) < d; {
		runtime.Gosched()
	}
}
