package ncclperf

import "context"

// chunk is how many bytes come from or go to a device at a time.
const chunk = 16 << 20

// piece is a part of a result: count elements at an element of the buffer, which are those
// of a pattern from number first on.
type piece struct {
	at      int
	pattern pattern
	first   int
	count   int
}

// source is what a rank gives.
func (j job) source(rank, ranks int) pattern {
	limit := j.e.limit(j.op, ranks)
	return patternOf(j.e, func(i int) float64 { return value(j.op, limit, rank, i) })
}

// result is what a reduction makes of it.
func (j job) result(ranks int) pattern {
	limit := j.e.limit(j.op, ranks)
	return patternOf(j.e, func(i int) float64 { return reduced(j.op, limit, ranks, i) })
}

// pieces are what a rank must have afterwards.
func (j job) pieces(name string, me, ranks int) (list []piece) {
	switch name {
	case "all_reduce", "reduce":
		return []piece{{0, j.result(ranks), 0, j.count}}
	case "reduce_scatter":
		return []piece{{0, j.result(ranks), me * j.count, j.count}}
	case "broadcast":
		return []piece{{0, j.source(j.root, ranks), 0, j.count}}
	case "scatter":
		return []piece{{0, j.source(j.root, ranks), me * j.count, j.count}}
	case "sendrecv":
		return []piece{{0, j.source((me+ranks-1)%ranks, ranks), 0, j.count}}
	}
	for s := range ranks {
		first := 0
		if name == "alltoall" {
			first = me * j.count
		}
		list = append(list, piece{s * j.count, j.source(s, ranks), first, j.count})
	}
	return list
}

// check does the job once with known data, and counts the elements of this rank that are
// wrong.
func (r *rank) check(ctx context.Context, name string, j job, l layout) (int64, error) {
	me, ranks := r.comm.Rank(), r.comm.Size()
	if l.recvCount > 0 && !j.inPlace { // what is there already must not be taken for the result
		if err := r.clear(l.recv, l.recvCount*j.e.size); err != nil {
			return 0, err
		}
	}
	if l.sendCount > 0 {
		if err := r.put(j.source(me, ranks), l.send, l.sendCount); err != nil {
			return 0, err
		}
	}
	if err := r.call(name, j, l); err != nil {
		return 0, err
	}
	if err := r.wait(ctx); err != nil || l.recvCount == 0 {
		return 0, err
	}
	var wrong int64
	for _, p := range j.pieces(name, me, ranks) {
		n, err := r.compare(j, p, l.recv+p.at*j.e.size)
		if err != nil {
			return 0, err
		}
		wrong += n
	}
	return wrong, nil
}

// put fills memory at a place with a pattern.
func (r *rank) put(p pattern, at, count int) error {
	part := make([]byte, min(count*p.e.size, chunk))
	for done := 0; done < count*p.e.size; {
		n := min(len(part), count*p.e.size-done)
		p.fill(part[:n], done/p.e.size)
		to, err := r.all.Slice(at+done, at+done+n)
		if err != nil {
			return err
		}
		if err := to.CopyFrom(part[:n], r.stream); err != nil {
			return err
		}
		done += n
	}
	return nil
}

func (r *rank) clear(at, n int) error {
	part, err := r.all.Slice(at, at+n)
	if err != nil {
		return err
	}
	return part.FillAsync(0xee, r.stream)
}

// compare counts what is wrong with a piece that is at a place.
func (r *rank) compare(j job, p piece, at int) (wrong int64, err error) {
	size := j.e.size
	part := make([]byte, min(p.count*size, chunk))
	right := func(got, want float64) bool { return j.e.right(j.op, got, want) }
	for done := 0; done < p.count*size; {
		n := min(len(part), p.count*size-done)
		from, err := r.all.Slice(at+done, at+done+n)
		if err != nil {
			return 0, err
		}
		if err := from.CopyTo(part[:n], r.stream); err != nil {
			return 0, err
		}
		wrong += p.pattern.wrong(part[:n], p.first+done/size, right)
		done += n
	}
	return wrong, nil
}
