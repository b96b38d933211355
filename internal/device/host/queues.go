package host

import "sync"

// queues are the streams that may have work: those that are not destroyed, and those
// that still work.
type queues struct {
	mu  sync.Mutex
	all map[*stream]struct{}
}

func (q *queues) add(s *stream) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.all == nil {
		q.all = map[*stream]struct{}{}
	}
	q.all[s] = struct{}{}
}

func (q *queues) drop(s *stream) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.all, s)
}

// place is an operation of a stream.
type place struct {
	s      *stream
	number uint64
}

// passed says whether the stream is beyond it.
func (p place) passed() bool {
	p.s.Lock()
	defer p.s.Unlock()
	return p.s.done >= p.number
}

// ends are the last operations of all streams that have any.
func (q *queues) ends() []place {
	q.mu.Lock()
	list := make([]*stream, 0, len(q.all))
	for s := range q.all {
		list = append(list, s)
	}
	q.mu.Unlock() // a stream that ends takes this lock with its own one held
	var ends []place
	for _, s := range list {
		s.Lock()
		if last := s.last(); last > s.done {
			ends = append(ends, place{s, last})
		}
		s.Unlock()
	}
	return ends
}
