package ipc

import (
	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/reduce"
)

// job is what a kernel that meets others has to know: Job in package kernels' ipcjob.cu,
// where the fields are explained.
type job struct {
	bases, head, flags, came, sent, room uint64
	half, part                           uint64
	dst, src, bytes, chunk               uint64

	pes, self, first, stride, size, me int32
	root, kind, op, elem               int32
	staged, within                     int32
}

// Collectives as the kernels number them.
const (
	jobBroadcast = iota
	jobFCollect
	jobAllToAll
	jobAllReduce
	jobReduce
	jobReduceScatter
)

// jobKinds is how they number what a world calls.
func jobKind(k engine.Kind) (int32, bool) {
	switch k {
	case engine.KindBroadcast:
		return jobBroadcast, true
	case engine.KindFCollect:
		return jobFCollect, true
	case engine.KindAllToAll:
		return jobAllToAll, true
	case engine.KindAllReduce:
		return jobAllReduce, true
	case engine.KindReduce:
		return jobReduce, true
	case engine.KindReduceScatter:
		return jobReduceScatter, true
	}
	return 0, false
}

// job is what does not change from call to call.
func (g *group) job() job {
	p := g.p
	half := p.stage / 2
	slot := uintptr(g.slot)
	return job{
		bases: uint64(p.at(p.rank, p.bases)), head: uint64(p.head), flags: uint64(p.flag(g.slot, 0)),
		came: uint64(p.came + slot*p.blocks*p.pes*word), sent: uint64(p.sent + slot*p.blocks*p.pes*word),
		room: uint64(p.room + slot*p.stage), half: uint64(half), part: uint64(half / uintptr(g.size) &^ 15),
		pes: int32(p.n), self: int32(p.rank), first: int32(g.first), stride: int32(g.stride), size: int32(g.size), me: int32(g.me),
	}
}

// set describes a collective.
func (j *job) set(kind int32, c *engine.Collective, chunk uintptr, staged bool) {
	j.kind, j.root, j.op, j.elem = kind, int32(c.Root), int32(c.Op), int32(c.Elem)
	j.dst, j.src, j.bytes, j.chunk = uint64(c.Dst), uint64(c.Src), uint64(c.Bytes), uint64(chunk)
	j.staged, j.within = 0, 0
	if staged {
		j.staged = 1
	}
	if kind == jobFCollect && j.src == j.dst+uint64(j.me)*j.bytes {
		j.within = 1
	}
}

// reduces says whether elements are combined.
func (j *job) reduces() bool { return j.kind >= jobAllReduce }

// scatters says whether a member has something else for each other.
func (j *job) scatters() bool { return j.kind == jobAllToAll || j.kind == jobReduceScatter }

func (j *job) elemType() reduce.Type { return reduce.Type(j.elem) }
