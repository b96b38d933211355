package launch

import (
	"strconv"
	"sync"
)

// worlds counts how often each rank of each job has joined. It is the one
// variable of this package, and it must be one of the process: a program may
// make one world after the other from places that know nothing of each other,
// and world 2 must not meet what is left of world 1. All processes count alike,
// since they make their worlds in the same order.
var worlds = struct {
	sync.Mutex
	count map[string]int
}{count: map[string]int{}}

// nextWorld is the number of the world that this rank is about to join. Launchers make
// one for a job, and may fail alone: their second must meet the first of others.
func nextWorld(j Job) int {
	if j.noun != "" {
		return 1
	}
	worlds.Lock()
	defer worlds.Unlock()
	key := strconv.Itoa(j.Rank) + " " + j.Name // goroutine ranks of one process count for themselves
	worlds.count[key]++
	return worlds.count[key]
}

// secret is what the members of the n-th world have in common.
func (j Job) secret(n int) secret {
	return secret{token: j.Token, world: j.Name + "#" + strconv.Itoa(n)}
}

// world is the address of the n-th world: abstract names get its number; on a
// port the handshake tells the worlds apart.
func (a address) world(n int) address {
	if a.name != "" {
		a.name += "." + strconv.Itoa(n)
	}
	return a
}
