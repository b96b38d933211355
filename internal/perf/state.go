package perf

import (
	"runtime"
	"sync/atomic"
	"time"
)

// The states of the machine: how far apart two cores are. Near is one core
// complex, far is two, or two sockets. Busy is when somebody else had the cores.
const (
	Near  = "near"
	Far   = "far"
	Busy  = "busy"
	Moved = "moved" // not the same before and after a sample
	Mixed = "mixed" // not the same in all samples
)

// Between these lie the two plateaus of a cache line's way, 60 to 110 ns and 240
// to 300 ns on the machines seen so far, with what a Go loop adds.
const (
	farAbove  = 170
	busyAbove = 450
)

// StateOf names the state in which a cache line took so many nanoseconds one way;
// "" if that is 0, unknown.
func StateOf(ns float64) string {
	switch {
	case ns == 0:
		return ""
	case ns < farAbove:
		return Near
	case ns < busyAbove:
		return Far
	}
	return Busy
}

// stateOf is the state of a sample.
func stateOf(before, after float64) string {
	b, a := StateOf(before), StateOf(after)
	if a != b {
		return Moved
	}
	return b
}

// commonState is that of all samples.
func commonState(samples []Sample) string {
	state := ""
	for i, s := range samples {
		if i > 0 && s.State != state {
			return Mixed
		}
		state = s.State
	}
	return state
}

// lines are two words in cache lines that no prefetch brings together.
type lines struct {
	ping atomic.Uint32
	_    [252]byte
	pong atomic.Uint32
	_    [252]byte
}

const (
	probeTrips = 200 // round trips of one try: 20 to 100 microseconds
	probeTries = 4   // the fastest counts: it has seen the cores rather than the scheduler
)

// probe measures how long a cache line takes from one of two cores to the other;
// 0 if there are no two cores to look at.
func probe(cores []int) float64 {
	if len(cores) < 2 || runtime.GOMAXPROCS(0) < 2 {
		return 0
	}
	var l lines
	done, result := make(chan error, 1), make(chan float64, 1)
	go func() { done <- echo(&l, cores[0]) }()
	go func() { result <- shout(&l, cores[1]) }()
	best := <-result
	if err := <-done; err != nil {
		return 0
	}
	return best
}

// echo answers. Its thread is bound to a core and ends with the goroutine, since
// it is never unlocked.
func echo(l *lines, core int) error {
	runtime.LockOSThread()
	err := bind(core) // on an error the answers come all the same, or the other side would wait for ever
	for i := uint32(1); i <= probeTrips*probeTries; i++ {
		for l.ping.Load() != i {
		}
		l.pong.Store(i)
	}
	return err
}

// shout asks and returns the nanoseconds of one way; 0 if it cannot be bound.
func shout(l *lines, core int) float64 {
	runtime.LockOSThread()
	err := bind(core)
	var tries []float64
	i := uint32(0)
	for range probeTries {
		start := time.Now()
		for range probeTrips {
			i++
			l.ping.Store(i)
			for l.pong.Load() != i {
			}
		}
		tries = append(tries, float64(time.Since(start))/(2*probeTrips))
	}
	if err != nil {
		return 0
	}
	return summarize(tries).Min
}
