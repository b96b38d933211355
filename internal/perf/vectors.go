package perf

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/goshmem/goshmem/shmem"
)

// collectives are the operations with vectors, in the order of their acts.
func collectives() []string {
	return []string{OpBroadcast, OpFCollect, OpAllToAll, OpAllReduce, OpReduceScatter}
}

// places are where vectors can be, as an operation says behind its name, in the order of
// their acts.
func places() []string { return []string{"", Copied, OnDevice, InSlices} }

// collectiveAct is the act of a collective, counted from gather on: those in the heap
// first. -1 if it is none.
func collectiveAct(op string) act {
	name, place := cutPlace(op)
	a := slices.Index(collectives(), name)
	if a >= 0 {
		a += slices.Index(places(), place) * len(collectives())
	}
	return act(a)
}

// cutPlace takes the place off an operation.
func cutPlace(op string) (name, place string) {
	at := strings.IndexByte(op+":", ':')
	if !slices.Contains(places(), op[at:]) {
		return op, ""
	}
	return op[:at], op[at:]
}

// leastVector is the smallest Size of a collective, of which any other is a multiple:
// 8 bytes, and for each PE if each has its own part.
func leastVector(op string, pes int) int {
	if strings.HasPrefix(op, OpBroadcast) || strings.HasPrefix(op, OpAllReduce) {
		return wordBytes
	}
	return pes * wordBytes
}

// floatBytes is the size of an element of the vectors.
const floatBytes = 4

// vectors are what collectives work on.
type vectors struct {
	ctx      context.Context
	w        *shmem.World
	src, dst shmem.Array[float32]
	in, out  []float32 // private
	library  *library  // nil before its first collective
}

// newVectors allocates. Collective.
func newVectors(ctx context.Context, w *shmem.World) (*vectors, error) {
	const n = MostBytes / floatBytes
	v := &vectors{ctx: ctx, w: w, in: make([]float32, n), out: make([]float32, n)}
	var err error
	if v.src, err = shmem.AllocAligned[float32](ctx, w, n, page); err != nil {
		return nil, err
	}
	v.dst, err = shmem.AllocAligned[float32](ctx, w, n, page)
	return v, err
}

// collective is one PE's part in a collective: the time begins with a barrier and ends
// with one. Before, new vectors are made, and afterwards it looks at what arrived.
func (c *crew) collective(a act, n, bytes int) (time.Duration, error) {
	var err error
	if c.vectors == nil {
		if c.vectors, err = newVectors(c.ctx, c.w); err != nil {
			return 0, err
		}
	}
	op, place := collectives()[int(a)%len(collectives())], places()[int(a)/len(collectives())]
	p, err := c.vectors.part(op, bytes, place, int(c.count))
	if err != nil {
		return 0, err
	}
	if err = p.fill(); err != nil {
		return 0, err
	}
	if err = c.w.Barrier(c.ctx); err != nil {
		return 0, err
	}
	d, err := warm(loop(p.loop))(n)
	if err != nil {
		return 0, err
	}
	return d, p.check()
}

// part is what one order has to do with the vectors.
type part struct {
	*vectors
	op       string
	whole    int // elements in Size
	block    int // of one PE
	place    string
	order    int
	src, dst shmem.Array[float32]
	in, out  []float32
}

// part cuts the vectors to what an order needs.
func (v *vectors) part(op string, bytes int, place string, order int) (*part, error) {
	p := &part{vectors: v, op: op, whole: bytes / floatBytes, place: place, order: order}
	p.block = p.whole / v.w.NPEs()
	from, to := p.whole, p.whole
	switch op {
	case OpFCollect:
		from = p.block
	case OpReduceScatter:
		to = p.block
	}
	p.in, p.out = v.in[:from], v.out[:to]
	err := v.openLibrary(place)
	if err != nil {
		return nil, err
	}
	if place == OnDevice {
		p.in, p.out = v.library.local[0][:from], v.library.local[1][:to]
	}
	if p.dst, err = v.dst.Slice(0, to); err != nil {
		return nil, err
	}
	if p.src = p.dst; op != OpBroadcast { // the peers' root has one vector, too
		p.src, err = v.src.Slice(0, from)
	}
	return p, err
}

// loop does a collective n times, and ends when all PEs have.
func (p *part) loop(n int) error {
	once, err := p.chosen()
	if err != nil {
		return err
	}
	for range n {
		if err := once(); err != nil {
			return err
		}
	}
	return p.w.Barrier(p.ctx)
}

// chosen is the collective on vectors where they are.
func (p *part) chosen() (func() error, error) {
	switch p.place {
	case "":
		return p.once(), nil
	case Copied:
		return p.private(), nil
	}
	return p.byLibrary()
}

// once is the collective.
func (p *part) once() func() error {
	ctx, t, dst, src := p.ctx, p.w.Team(), p.dst, p.src
	switch p.op {
	case OpBroadcast:
		return func() error { return shmem.Broadcast(ctx, t, dst, src, 0) }
	case OpFCollect:
		return func() error { return shmem.FCollect(ctx, t, dst, src) }
	case OpAllToAll:
		return func() error { return shmem.AllToAll(ctx, t, dst, src) }
	case OpAllReduce:
		return func() error { return shmem.AllReduce(ctx, t, dst, src, shmem.Sum) }
	}
	return func() error { return shmem.ReduceScatter(ctx, t, dst, src, shmem.Sum) }
}

// private is the collective on vectors in Go memory.
func (p *part) private() func() error {
	ctx, t, out, in := p.ctx, p.w.Team(), p.out, p.in
	switch p.op {
	case OpBroadcast:
		if p.w.MyPE() == 0 {
			out = in
		}
		return func() error { return shmem.BroadcastSlice(ctx, t, out, 0) }
	case OpFCollect:
		return func() error { return shmem.FCollectSlice(ctx, t, out, in) }
	case OpAllToAll:
		return func() error { return shmem.AllToAllSlice(ctx, t, out, in) }
	case OpAllReduce:
		return func() error { return shmem.AllReduceSlice(ctx, t, out, in, shmem.Sum) }
	}
	return func() error { return shmem.ReduceScatterSlice(ctx, t, out, in, shmem.Sum) }
}

// ends says whether this PE has something to send, and whether it gets something.
func (p *part) ends() (reads, writes bool) {
	root := p.w.MyPE() == 0
	return p.op != OpBroadcast || root, p.op != OpBroadcast || !root
}

// element is number i of what a PE sends in an order. Small whole numbers: their sums
// are exact in any order.
func (p *part) element(pe, i int) float32 { return float32((p.order*31 + pe*17 + i) & 1023) }

// fill makes what is sent, and sees to it that what is looked at later is new.
func (p *part) fill() error {
	src, dst, err := p.local()
	if err != nil {
		return err
	}
	reads, writes := p.ends()
	for i := 0; reads && i < len(src); i++ {
		src[i] = p.element(p.w.MyPE(), i)
	}
	for k := 0; writes && k < spots; k++ {
		dst[spot(len(dst), k)] = -1
	}
	return nil
}

// local is where vectors begin and end up in this PE.
func (p *part) local() (src, dst []float32, err error) {
	if p.place != "" {
		if p.op == OpBroadcast && p.place != Copied && p.w.MyPE() == 0 {
			return p.in, p.in, nil
		}
		return p.in, p.out, nil
	}
	if src, err = p.src.Local(); err != nil {
		return nil, nil, err
	}
	dst, err = p.dst.Local()
	return src, dst, err
}

// spots is how many elements are looked at.
const spots = 61

// spot is where the k-th look at n elements goes.
func spot(n, k int) int {
	if n <= spots {
		return k % n
	}
	return k * (n - 1) / (spots - 1)
}

func (p *part) check() error {
	_, dst, err := p.local()
	if _, writes := p.ends(); err != nil || !writes {
		return err
	}
	for k := range spots {
		i := spot(len(dst), k)
		if want := p.expected(i); dst[i] != want {
			return fmt.Errorf("%s: element %d of %d is %v, must be %v: what arrived is not what was sent", p.op, i, len(dst), dst[i], want)
		}
	}
	return nil
}

// expected is what element i of the result must be.
func (p *part) expected(i int) float32 {
	me := p.w.MyPE()
	switch p.op {
	case OpBroadcast:
		return p.element(0, i)
	case OpFCollect:
		return p.element(i/p.block, i%p.block)
	case OpAllToAll:
		return p.element(i/p.block, me*p.block+i%p.block)
	case OpReduceScatter:
		i += me * p.block
	}
	var sum float32
	for pe := range p.w.NPEs() {
		sum += p.element(pe, i)
	}
	return sum
}
