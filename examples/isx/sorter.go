package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/goshmem/goshmem/shmem"
)

// sorter is one PE's keys and its bucket. What others write is symmetric, the rest is
// ordinary memory.
type sorter struct {
	w    *shmem.World
	pes  uint64
	bits int
	keys []uint32 // of this PE, in no order
	low  uint32   // the smallest key of its bucket

	split []uint32 // the keys, those for one PE together
	ends  []int    // where those of each PE end in split

	bucket shmem.Array[uint32] // what came, in no order
	filled shmem.Array[int64]  // one number: how much of the bucket has an owner

	counts []uint32 // how often each key of the bucket is there
	sorted []uint32 // the keys of the bucket, in order
	total  shmem.Array[uint64]
	before [2]uint64 // how many keys all PEs have, and their checksum
}

// newSorter makes the keys. All buckets have the same room, since allocations are the
// same everywhere.
func newSorter(ctx context.Context, w *shmem.World, p problem) (*sorter, error) {
	s := &sorter{w: w, pes: uint64(w.NPEs()), bits: p.bits}
	var err error
	room := s.room(p.keys)
	if s.bucket, err = shmem.Alloc[uint32](ctx, w, room); err != nil {
		return nil, err
	}
	if s.filled, err = shmem.Alloc[int64](ctx, w, 1); err != nil {
		return nil, err
	}
	if s.total, err = shmem.Alloc[uint64](ctx, w, 2); err != nil {
		return nil, err
	}
	s.keys, s.split, s.ends = make([]uint32, p.keys), make([]uint32, p.keys), make([]int, w.NPEs())
	s.low = s.lowest(w.MyPE())
	s.counts = make([]uint32, s.lowest(w.MyPE()+1)-s.low)
	s.sorted = make([]uint32, room+4) // see write
	random := rand.NewPCG(p.seed, uint64(w.MyPE()))
	for i := range s.keys {
		s.keys[i] = uint32(random.Uint64() >> (64 - p.bits))
	}
	s.before, err = s.sum(ctx, s.keys)
	return s, err
}

// owner is the PE whose bucket a key belongs to: buckets have the same width, or nearly,
// and a multiplication finds the right one faster than a division would.
func (s *sorter) owner(key uint32) int { return int(uint64(key) * s.pes >> s.bits) }

// lowest is the smallest key of a PE's bucket: the first that owner gives to it.
func (s *sorter) lowest(pe int) uint32 {
	return uint32((uint64(pe)<<s.bits + s.pes - 1) / s.pes)
}

// room is how many keys the widest bucket must have room for, if each PE has so many. The
// mean is the width's share of all; the standard deviation is below the root of that, and
// ten of them are never used up.
func (s *sorter) room(keys int) int {
	widest := (1<<s.bits + s.pes - 1) / s.pes
	mean := float64(keys) * float64(s.pes*widest) / float64(uint64(1)<<s.bits)
	return int(math.Ceil(mean + 10*math.Sqrt(mean)))
}

// empty empties the bucket, and waits until all buckets are empty.
func (s *sorter) empty(ctx context.Context) error {
	if err := s.filled.Set(0, 0); err != nil {
		return err
	}
	return s.w.Barrier(ctx)
}

// exchange sends every PE the keys of its bucket, to the next PE first, so that not all
// begin with the same one.
func (s *sorter) exchange(ctx context.Context) error {
	s.group()
	for i := range s.w.NPEs() {
		pe := (s.w.MyPE() + 1 + i) % s.w.NPEs()
		begin := 0
		if pe > 0 {
			begin = s.ends[pe-1]
		}
		if err := s.send(s.split[begin:s.ends[pe]], pe); err != nil {
			return err
		}
	}
	return s.w.Barrier(ctx) // all puts are complete
}

// group brings the keys for the same PE together.
func (s *sorter) group() {
	ends, split := s.ends, s.split
	clear(ends)
	for _, key := range s.keys {
		ends[s.owner(key)]++
	}
	begin := 0
	for pe, n := range ends {
		ends[pe] = begin
		begin += n
	}
	for _, key := range s.keys { // each moves the end of its group from the beginning on
		pe := s.owner(key)
		split[ends[pe]] = key
		ends[pe]++
	}
}

// send puts keys into the bucket of a PE. The add finds out where, and takes that part.
func (s *sorter) send(keys []uint32, pe int) error {
	at, err := shmem.AtomicFetchAdd(s.filled, 0, int64(len(keys)), pe)
	if err != nil {
		return err
	}
	begin, end := int(at), int(at)+len(keys)
	if end > s.bucket.Len() {
		return fmt.Errorf("the bucket of PE %d has room for %d keys and was sent %d: the keys are not spread evenly", pe, s.bucket.Len(), end)
	}
	part, err := s.bucket.Slice(begin, end)
	if err != nil {
		return err
	}
	return part.PutSlice(keys, pe)
}

// sort counts each key of the bucket and writes them in order.
func (s *sorter) sort() error {
	came, err := s.came()
	if err != nil {
		return err
	}
	clear(s.counts)
	counts, low := s.counts, s.low
	for _, key := range came {
		i := uint64(key) - uint64(low) // a smaller key wraps around
		if i >= uint64(len(counts)) {
			return fmt.Errorf("PE %d got key %d, but its bucket has those from %d to %d", s.w.MyPE(), key, low, int(low)+len(counts)-1)
		}
		counts[i]++
	}
	s.write()
	return nil
}

// write writes each key as often as it was counted. Four times is enough for most, and
// the next key overwrites what is too much: a loop that ends after nobody knows how many
// turns would cost more than that.
func (s *sorter) write() {
	all, at := s.sorted[:cap(s.sorted)], 0
	for i, n := range s.counts {
		key := s.low + uint32(i)
		four := all[at:][:4]
		four[0], four[1], four[2], four[3] = key, key, key, key
		for j := 4; j < int(n); j++ {
			all[at+j] = key
		}
		at += int(n)
	}
	s.sorted = all[:at]
}

// came returns the part of the bucket that was filled.
func (s *sorter) came() ([]uint32, error) {
	n, err := s.filled.At(0)
	if err != nil {
		return nil, err
	}
	all, err := s.bucket.Local()
	if err != nil {
		return nil, err
	}
	return all[:n], nil
}

// verify is an error if the keys are not in order or not those that there were before.
// That each is in the right bucket was seen when they were counted.
func (s *sorter) verify(ctx context.Context) error {
	came, err := s.came()
	if err != nil {
		return err
	}
	after, err := s.sum(ctx, s.sorted)
	switch {
	case err != nil:
		return err
	case len(s.sorted) != len(came):
		return fmt.Errorf("%d keys came to PE %d, %d are sorted", len(came), s.w.MyPE(), len(s.sorted))
	case !slices.IsSorted(s.sorted):
		return fmt.Errorf("the keys of PE %d are not in order", s.w.MyPE())
	case after[0] != s.before[0]:
		return fmt.Errorf("there were %d keys, now there are %d", s.before[0], after[0])
	case after[1] != s.before[1]:
		return fmt.Errorf("the checksum of all keys was %x, now it is %x", s.before[1], after[1])
	}
	return nil
}

// sum returns how many keys all PEs have, and a checksum that does not depend on their
// order. Collective.
func (s *sorter) sum(ctx context.Context, keys []uint32) (all [2]uint64, err error) {
	all[0] = uint64(len(keys))
	for _, key := range keys {
		mixed := (uint64(key) + 1) * 0x9e3779b97f4a7c15 // so that 1 and 4 are not 2 and 3
		all[1] += mixed ^ mixed>>32
	}
	if err := s.total.CopyFrom(all[:]); err != nil {
		return all, err
	}
	if err := shmem.AllReduce(ctx, s.w.Team(), s.total, s.total, shmem.Sum); err != nil {
		return all, err
	}
	return all, s.total.CopyTo(all[:])
}
