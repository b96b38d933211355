package ucx

import (
	"runtime"
	"time"

	"github.com/goshmem/goshmem/internal/dl"
)

// Close gives up all peers and memory. What is under way ends with ErrClosed. It waits for
// nobody but the calls of this process that are inside, which leave at once. Flush before,
// and have the others know: they are told of a peer that is gone. Again does nothing.
func (w *Worker) Close() error {
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		<-w.ended
		return nil
	}
	w.closed = true
	dl.Call(w.lib.signal, w.worker)
	w.leave()
	w.mu.Unlock()
	<-w.ended
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.inside > 0 {
		w.mu.Unlock()
		runtime.Gosched()
		w.mu.Lock()
	}
	return w.release()
}

// leave tells the others, and gives them up. The lock is held.
func (w *Worker) leave() {
	for _, p := range w.peers {
		if p.known() && p.err() == nil {
			p.say(leaveTag)
		}
	}
	end := time.Now().Add(leaveFor)
	for _, p := range w.peers { // also those that nothing was sent to: see the package about deaths
		if p.err() != nil {
			continue
		}
		p.stuck = p.stuck || !p.settled(end)
	}
	for _, p := range w.peers {
		p.drop()
	}
}

// leaveFor is how long others are waited for that are to know that we leave.
const leaveFor = 200 * time.Millisecond

// release gives back what start has made, unless UCX would not survive that.
func (w *Worker) release() error {
	if w.left {
		return nil
	}
	var first error
	for len(w.memories) > 0 {
		if err := w.memories[0].close(); err != nil && first == nil {
			first = err
		}
	}
	if w.worker != 0 {
		dl.Call(w.lib.workerDestroy, w.worker)
		w.worker = 0
	}
	if w.context != 0 {
		dl.Call(w.lib.cleanup, w.context)
		w.context = 0
	}
	return first
}
