package launch

import (
	"context"
	"fmt"
)

// seekTwin looks for another number 0 where the others are sent to, if that is not here: of
// two that both serve one waits in vain until its time is over, and the other too. Stop ends
// that. On the way a server may meet itself, which its hub knows and lets pass.
func (s *Store) seekTwin(ctx context.Context, at address, f finder) (stop func()) {
	if s.hub == nil || s.me.noun != "node" {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if at.elsewhere(ctx) == "" {
			return
		}
		f.candidates, f.vigil = at.candidates(), nil
		l, other, err := f.find(ctx)
		if err != nil {
			return // nobody is there, or another job, of which the end of the wait will tell
		}
		_ = l.conn.Close() // that it came is all that the other must know
		if other != s.me {
			s.hub.mu.Lock()
			s.hub.breakIf(fmt.Sprintf("node 0 is there twice: %v and, at %s, %v", s.me, at.place(s.me), other))
			s.hub.mu.Unlock()
		}
	}()
	return func() {
		cancel()
		<-done
	}
}
