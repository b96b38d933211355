package launch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"time"
)

// finder looks for the server of the job.
type finder struct {
	network    string
	candidates []string
	secret     secret
	me         peer
	limits     limits
	vigil      *vigil  // is told of attempts that fail
	at         address // as it was given, for the vigil
}

// find tries the candidates until one turns out to be the server or ctx ends.
// The server may not have started yet, and strangers may hold some of the ports.
func (f finder) find(ctx context.Context) (*link, peer, error) {
	start := time.Now()
	patience := f.limits.handshake
	if len(f.candidates) > 1 {
		patience = f.limits.probe // a stranger that says nothing must not hold us up
	}
	var last error
	for {
		for _, at := range f.candidates {
			l, server, err := f.try(ctx, at, patience)
			if err == nil {
				return l, server, nil
			}
			last = telling(last, err)
			if f.vigil != nil {
				f.vigil.note(nil, f.at, fmt.Sprintf("waiting for %s 0 at %s%s: %v", f.me.noun, f.at.place(f.me), f.at.loops(f.me), last))
			}
			if f.hopeless(err) {
				return nil, peer{}, err // the place is this world's alone: it will not get better
			}
		}
		if !f.pause(ctx, time.Since(start)) {
			return nil, peer{}, fmt.Errorf("%w; last attempt: %w", context.Cause(ctx), last)
		}
		patience = min(2*patience, f.limits.handshake)
	}
}

// hopeless is an error that no later attempt can mend: where ranks meet over tcp another
// world or job may be in the way for a while, but not where launchers do.
func (f finder) hopeless(err error) bool {
	if errors.Is(err, ErrRefused) {
		return f.network == "unix" || f.me.noun == "node"
	}
	return len(f.candidates) == 1 && errors.Is(err, ErrVersion)
}

// try connects to one candidate and shakes hands.
func (f finder) try(ctx context.Context, at string, patience time.Duration) (*link, peer, error) {
	d := net.Dialer{Timeout: patience}
	conn, err := d.DialContext(ctx, f.network, at)
	if err != nil {
		return nil, peer{}, err
	}
	l := newLink(conn, f.limits)
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() }) // ends the handshake
	server, err := f.meet(l, patience)
	if !stop() && err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return nil, peer{}, errors.Join(fmt.Errorf("%s: %w", at, err), ignoreClosed(conn.Close()))
	}
	return l, server, nil
}

func (f finder) meet(l *link, patience time.Duration) (peer, error) {
	if err := sameUser(l.conn); err != nil {
		return peer{}, err
	}
	return l.connect(f.secret, f.me, patience)
}

// pause waits an eighth of the time that has passed, within bounds: soon when
// the processes start together, seldom when somebody is late, and all the more over a
// network, where thousands may ask one machine and one server of names. False: ctx ended.
func (f finder) pause(ctx context.Context, passed time.Duration) bool {
	const shortest = 100 * time.Microsecond
	longest := 10 * time.Millisecond
	if f.network != "unix" {
		longest = 250 * time.Millisecond
	}
	timer := time.NewTimer(min(max(passed/8, shortest), longest))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return ctx.Err() == nil
	}
}

// telling keeps the error that says more: what somebody answered, before what
// happened to an attempt to connect, before an attempt that was cut short.
func telling(old, err error) error {
	switch {
	case old == nil:
		return err
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled), errors.Is(err, net.ErrClosed):
		return old
	case isDial(err) && (!isDial(old) || errors.Is(err, os.ErrDeadlineExceeded)):
		return old
	}
	return err
}

func isDial(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// ignoreClosed is for the second of two closings.
func ignoreClosed(err error) error {
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}
