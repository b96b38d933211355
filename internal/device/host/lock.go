package host

// How a stream is in use. A task finds most streams with nothing to do, and would spend more
// time on their locks than a small collective takes.
const (
	resting uint32 = iota // nothing is queued, nothing to be told, and all can be asked of it
	lent                  // to one who does a task by himself; resting but for that
	locked                // its fields say how it is
)

// Lock takes the stream for a look at its fields, or a change. A task for which it is lent
// shows in them from now on.
func (s *stream) Lock() {
	s.mu.Lock()
	if s.use.Swap(locked) == lent {
		s.working, s.inline = true, true
	}
}

// Unlock gives it back. If it rests, the next task can borrow it.
func (s *stream) Unlock() {
	if !s.working && !s.closed && s.capture == nil && s.fault == nil && s.owed == nil {
		s.use.Store(resting)
	}
	s.mu.Unlock()
}

// borrow takes a resting stream for one task.
func (s *stream) borrow() bool { return s.use.CompareAndSwap(resting, lent) }

// giveBack ends that, unless somebody has seen the task: then it is told to have ended.
func (s *stream) giveBack() bool { return s.use.CompareAndSwap(lent, resting) }
