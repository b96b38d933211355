package host

import (
	"context"

	"github.com/goshmem/goshmem/internal/device"
)

// Task is work of a stream for which other streams are waited for, maybe of other
// processes, such as a collective.
type Task interface {
	// Start begins the work, if that waits for nobody, and says whether Run will not have to
	// wait long. It is called once before each Run.
	Start() (soon bool)
	// Run does the work. Its error is a fault until all that is queued behind it is dropped,
	// and is told once; but not if it has a method Stale that says that everybody knows.
	Run() error
	// Drop is called instead of both after a fault of the stream. A task that the fault does
	// not concern may do its work all the same, and return its own.
	Drop(fault error) error
}

// Outcome is what became of a task that was given to a stream.
type Outcome int

// The outcomes.
const (
	Refused  Outcome = iota // there is an error
	Done                    // it is over; the stream keeps nothing of it
	Queued                  // it will be done
	Captured                // it is part of a graph, and may be done often
)

// Perform appends a task to a stream. If nothing is before it, and eager is set, the
// caller does it by himself if it is soon done: to hand it to another goroutine takes
// longer than a small collective.
func (d *Driver) Perform(dev int, h device.Handle, t Task, eager bool) (Outcome, error) {
	const call = "Perform"
	s, err := d.stream(dev, call, h)
	if err != nil {
		return Refused, err
	}
	return s.perform(call, t, eager)
}

func (s *stream) perform(call string, t Task, eager bool) (Outcome, error) {
	if eager && s.borrow() {
		return s.attempt(t), nil
	}
	outcome, err := s.enqueue(call, t, eager)
	if err == nil && outcome == Done {
		return s.attempt(t), nil
	}
	return outcome, err
}

// enqueue appends a task, unless the caller is to do it: then it is Done.
func (s *stream) enqueue(call string, t Task, eager bool) (Outcome, error) {
	s.Lock()
	defer s.Unlock()
	switch err := s.accepts(call); {
	case err != nil:
		return Refused, err
	case s.capture != nil:
		return Captured, s.capture.add(call, s, &op{kind: opTask, task: t}, nil)
	case s.working || !eager:
		s.append(&op{kind: opTask, task: t}, nil)
		return Queued, nil
	}
	s.working, s.inline = true, true
	return Done, nil
}

// attempt does a task at once, before what is queued meanwhile, or leaves it to the
// goroutine. The caller has the stream for that.
func (s *stream) attempt(t Task) Outcome {
	soon := t.Start()
	var err error
	if soon {
		err = t.Run()
	}
	if soon && err == nil && s.giveBack() {
		return Done
	}
	s.Lock()
	defer s.Unlock()
	s.inline = false
	if !soon {
		s.prepend(&op{kind: opTask, task: t, started: true})
		go s.run()
		return Queued
	}
	s.note(pass(err))
	s.done++
	s.moved.Broadcast()
	if s.count > 0 {
		go s.run()
	} else {
		s.rest()
	}
	return Done
}

// prepend puts an operation before all that are queued.
func (s *stream) prepend(o *op) {
	if s.count == len(s.ring) {
		s.grow()
	}
	s.head = (s.head + len(s.ring) - 1) % len(s.ring)
	s.ring[s.head].set(o, nil)
	s.count++
}

// last is the number of the last operation that is not done, or was.
func (s *stream) last() uint64 {
	n := s.done + uint64(s.count)
	if s.inline {
		n++
	}
	return n
}

// run does a task in its turn.
func (o *op) run(fault error) error {
	if fault != nil && !o.started {
		return pass(o.task.Drop(fault))
	}
	if !o.started {
		o.task.Start()
	}
	return pass(o.task.Run())
}

// passing is the fault of a task. It goes over to other streams as any fault does.
type passing struct{ error }

func (p passing) Unwrap() error { return p.error }

func pass(err error) error {
	if err == nil {
		return nil
	}
	return passing{err}
}

// Finish waits until all that is queued is done, and returns a fault of it, or why ctx
// has ended.
func (d *Driver) Finish(ctx context.Context, dev int, h device.Handle) error {
	s, err := d.stream(dev, "Finish", h)
	if err != nil {
		return err
	}
	if idle, err := s.idle("Finish"); idle || err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() {
		s.Lock()
		defer s.Unlock()
		s.moved.Broadcast()
	})
	defer stop()
	s.Lock()
	defer s.Unlock()
	for number := s.last(); s.done < number; {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		s.moved.Wait()
	}
	return s.told()
}
