package perf

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/provider"
)

// What is wanted on GPUs.
const (
	bulkWanted      = 1 / 0.95 // kernels to copies, from bulkFrom bytes on
	bulkFrom        = 64 << 20
	translateWanted = 1.05
	shotWanted      = 1.0 // to the library, up to shotTo bytes
	shotTo          = 256 << 10
	tableWanted     = 20.0 // microseconds
)

// The copies between two PEs in steps of 16, the size of those between all pairs, and how
// many links a chase follows.
const (
	leastBulk = 64 << 10
	pairBulk  = 64 << 20
	follows   = 4096
)

// cases are the rows whose names contain only.
func (m *peers) cases(largest int, only string) []bench {
	list := append(m.pairCases(min(largest, pairBulk)), m.bulkCases(largest)...)
	list = append(list, m.chaseCase())
	list = append(list, m.tableCases()...)
	for _, n := range m.sizes {
		list = append(list, m.sumCase("one-shot", oneShot, n), m.sumCase("two-shot", twoShot, n))
	}
	for i := range list {
		list[i].PEs = m.w.NPEs()
		if m.d.Platform() == "host" { // kernels in Go are for tests
			list[i].wanted = 0
		}
	}
	return slices.DeleteFunc(list, func(b bench) bool { return !strings.Contains(b.name, only) })
}

// pairCases copy from each PE to each.
func (m *peers) pairCases(bytes int) (list []bench) {
	for _, op := range []string{OpPut, OpGet} {
		for from := range m.w.NPEs() {
			for to := range m.w.NPEs() {
				b := m.copying(op, from, to, bytes)
				b.name = fmt.Sprintf("pair, PE %d, %s, PE %d, %s", from, op, to, bytesOf(bytes))
				b.Op, b.Buffers = op, pairOf(from, to)
				list = append(list, b)
			}
		}
	}
	return list
}

// bulkCases copy from PE 0 to the next, or to itself if there is none.
func (m *peers) bulkCases(largest int) (list []bench) {
	for _, op := range []string{OpPut, OpGet} {
		for n := leastBulk; n <= largest; n *= 4 {
			b := m.copying(op, 0, m.next(), n)
			b.name = fmt.Sprintf("bulk %s, %s", op, bytesOf(n))
			if n >= bulkFrom {
				b.wanted = bulkWanted
			}
			list = append(list, b)
		}
	}
	return list
}

// copying is a kernel beside a copy.
func (m *peers) copying(op string, from, to, bytes int) bench {
	kernel, plain := kernelPut, copyPut
	if op == OpGet {
		kernel, plain = kernelGet, copyGet
	}
	return bench{Case: Case{Size: bytes}, ours: warm(m.order(peerOrder{act: kernel, from: from, to: to, bytes: bytes})),
		rivals: against("copy", warm(m.order(peerOrder{act: plain, from: from, to: to, bytes: bytes})))}
}

// chaseCase is loads of 8 bytes, each of which needs the one before.
func (m *peers) chaseCase() bench {
	return bench{name: "dependent load of 8 bytes, translated", wanted: translateWanted,
		ours: warm(m.follows(func() error {
			return m.code["chase"].Launch(m.s, gpu.Grid(1, 1), m.last, m.links, uint64(follows), int32(m.w.MyPE()), int32(m.next()), m.table)
		})),
		rivals: against("the peer's pointer", warm(m.follows(func() error {
			return m.code["chase_raw"].Launch(m.s, gpu.Grid(1, 1), m.last, m.raw, uint64(follows))
		})))}
}

// follows is a side of launches that follow many links each: n counts links.
func (m *peers) follows(launch func() error) side {
	return func(n int) (time.Duration, error) {
		launches := (n + follows - 1) / follows
		took, err := m.clock(launches, launch)
		return took * time.Duration(n) / time.Duration(launches*follows), err
	}
}

// tableCases are what a table costs, which every allocation and MapOf make.
func (m *peers) tableCases() []bench {
	bases := slices.Repeat([]uintptr{m.table.AllocationBase()}, 8)
	return []bench{
		{name: fmt.Sprintf("table of %d ranks, MapOf", m.w.NPEs()), ours: loop(func(n int) error {
			for range n {
				if _, err := provider.MapOf(m.p, m.far); err != nil {
					return err
				}
			}
			return nil
		})},
		{name: "table of 8 ranks in memory of its own, NewAddressMap", ours: loop(func(n int) error {
			for range n {
				t, err := provider.NewAddressMap(provider.Spec{Device: m.d, Bytes: 1, Bases: bases})
				if err != nil {
					return err
				}
				if err := t.Close(); err != nil {
					return err
				}
			}
			return nil
		})},
	}
}

// sumCase is an all-reduce beside the library's.
func (m *peers) sumCase(name string, act, bytes int) bench {
	b := bench{Case: Case{Op: OpAllReduce, Size: bytes}, name: fmt.Sprintf("%s all-reduce, %s", name, bytesOf(bytes)), ours: warm(m.order(peerOrder{act: act, bytes: bytes}))}
	if m.lib == nil {
		return b
	}
	if act == oneShot && bytes <= shotTo {
		b.wanted = shotWanted
	}
	library, _, _ := strings.Cut(m.lib.comm.Library().String(), " ")
	b.rivals = against(library, warm(m.order(peerOrder{act: librarySum, bytes: bytes})))
	if m.lib.registered {
		b.rivals = append(b.rivals, rival{library + ", window", warm(m.order(peerOrder{act: windowSum, bytes: bytes}))})
	}
	return b
}
