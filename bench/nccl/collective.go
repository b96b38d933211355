package main

import (
	"github.com/goshmem/goshmem/nccl"
)

// collective is what is measured: one call over all elements, of which the ranks have
// parts or all.
type collective struct {
	name       string
	small      bool // C has it, too
	part, each bool // what is sent, and what arrives, is a rank's part of the elements
	call       func(m *meter, from, to nccl.Buffer) error
}

func collectives() []collective {
	return []collective{
		{"all_reduce", true, false, false, func(m *meter, from, to nccl.Buffer) error {
			return nccl.AllReduce(m.comm, from, to, nccl.Sum, m.stream)
		}},
		{"all_gather", true, true, false, func(m *meter, from, to nccl.Buffer) error {
			return nccl.AllGather(m.comm, from, to, m.stream)
		}},
		{"reduce_scatter", true, false, true, func(m *meter, from, to nccl.Buffer) error {
			return nccl.ReduceScatter(m.comm, from, to, nccl.Sum, m.stream)
		}},
		{"broadcast", true, false, false, func(m *meter, from, to nccl.Buffer) error {
			return nccl.Broadcast(m.comm, from, to, 0, m.stream)
		}},
		{"reduce", false, false, false, func(m *meter, from, to nccl.Buffer) error {
			return nccl.Reduce(m.comm, from, to, nccl.Sum, 0, m.stream)
		}},
		{"alltoall", false, false, false, func(m *meter, from, to nccl.Buffer) error {
			return nccl.AllToAll(m.comm, from, to, m.stream)
		}},
	}
}

// factor is what turns bytes per time into what the links carry.
func factor(name string, n float64) float64 {
	switch name {
	case "all_reduce":
		return 2 * (n - 1) / n
	case "broadcast", "reduce":
		return 1
	}
	return (n - 1) / n
}

// bind is the call on n elements.
func (o collective) bind(m *meter, n int) (func() error, error) {
	side := func(base uintptr, part bool) nccl.Buffer {
		r := nccl.Raw{Address: base, Count: n, Type: nccl.Float32, Device: m.comm.Device()}
		if part {
			r.Count = n / m.comm.Size()
		}
		return r
	}
	from, to := side(m.from.Address(), o.part), side(m.to.Address(), o.each)
	return func() error { return o.call(m, from, to) }, nil
}
