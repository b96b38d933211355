package killtest_test

import (
	"context"

	"github.com/goshmem/goshmem/shmem"
)

// collectives are those that move data, one word from or to each PE. The victim is the
// root where there is one.
func collectives() map[string]func(ctx context.Context, s *stage) error {
	type c = context.Context
	return map[string]func(ctx c, s *stage) error{
		"broadcast": func(ctx c, s *stage) error { return shmem.Broadcast(ctx, s.w.Team(), s.there, s.word, s.victim) },
		"gather":    func(ctx c, s *stage) error { return shmem.Gather(ctx, s.w.Team(), s.there, s.one(), s.victim) },
		"scatter":   func(ctx c, s *stage) error { return shmem.Scatter(ctx, s.w.Team(), s.one(), s.there, s.victim) },
		"fcollect":  func(ctx c, s *stage) error { return shmem.FCollect(ctx, s.w.Team(), s.there, s.one()) },
		"collect": func(ctx c, s *stage) error {
			_, err := shmem.Collect(ctx, s.w.Team(), s.there, s.one())
			return err
		},
		"alltoall": func(ctx c, s *stage) error { return shmem.AllToAll(ctx, s.w.Team(), s.there, s.word) },
		"alltoallv": func(ctx c, s *stage) error {
			none := shmem.Layout{Counts: make([]int, s.w.NPEs()), Offsets: make([]int, s.w.NPEs())}
			return shmem.AllToAllV(ctx, s.w.Team(), s.there, none, s.word, none)
		},
		"reduce": func(ctx c, s *stage) error {
			return shmem.Reduce(ctx, s.w.Team(), s.there, s.word, shmem.Sum, s.victim)
		},
		"allreduce":      func(ctx c, s *stage) error { return shmem.AllReduce(ctx, s.w.Team(), s.there, s.word, shmem.Max) },
		"reduce scatter": func(ctx c, s *stage) error { return shmem.ReduceScatter(ctx, s.w.Team(), s.one(), s.there, shmem.Or) },
		"inscan":         func(ctx c, s *stage) error { return shmem.InScan(ctx, s.w.Team(), s.there, s.word, shmem.Sum) },
		"exscan":         func(ctx c, s *stage) error { return shmem.ExScan(ctx, s.w.Team(), s.word, s.word, shmem.Prod) },
	}
}

// inSlices are those of Go memory, some of a few bytes, others of several chunks.
func inSlices() map[string]func(ctx context.Context, s *stage) error {
	type c = context.Context
	return map[string]func(ctx c, s *stage) error{
		"broadcast": func(ctx c, s *stage) error {
			return shmem.BroadcastSlice(ctx, s.w.Team(), make([]byte, 500_000), s.victim)
		},
		"fcollect": func(ctx c, s *stage) error {
			return shmem.FCollectSlice(ctx, s.w.Team(), make([]int32, s.w.NPEs()), make([]int32, 1))
		},
		"alltoall": func(ctx c, s *stage) error {
			return shmem.AllToAllSlice(ctx, s.w.Team(), make([]int16, 30_000*s.w.NPEs()), make([]int16, 30_000*s.w.NPEs()))
		},
		"allreduce": func(ctx c, s *stage) error {
			return shmem.AllReduceSlice(ctx, s.w.Team(), make([]float64, 30_000), make([]float64, 30_000), shmem.Max)
		},
		"reduce scatter": func(ctx c, s *stage) error {
			return shmem.ReduceScatterSlice(ctx, s.w.Team(), make([]int64, 2), make([]int64, 2*s.w.NPEs()), shmem.Or)
		},
	}
}

// one is the first word.
func (s *stage) one() shmem.Array[int64] { return must(s.word.Slice(0, 1)) }
