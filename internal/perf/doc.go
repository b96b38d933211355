// Package perf measures what goshmem promises about speed, and says for each
// figure what it was compared with. Every comparison is made within one run: the
// two competitors take turns, and a ratio is that of neighbours in time.
//
// One process leads (Shmem, Reduce). It starts jobs of worker processes (Work) through
// the launcher, as a user would, and gathers their figures into a Record. In a
// comparison with another library (Compare) the leading process itself takes the
// samples: one job of ours and one of theirs get the same orders (Order) in turns.
//
// Figures of this kind depend on where the two cores are relative to each other,
// which under a hypervisor changes every few seconds. So each sample has the time
// of a cache line's way between two cores in front of it and behind it (state.go),
// and a sample during which that changed is taken again.
package perf
