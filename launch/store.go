package launch

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"syscall"
	"time"
)

// Store is this process's connection to the other processes of the job. It is
// what an engine needs to find its peers: Broadcast and Barrier. The processes
// call the same operations in the same order; within a process one at a time.
type Store struct {
	me     peer
	server peer
	limits limits
	hub    *hub // on rank 0
	at     address
	link   *link // nil when the job has one process

	mu     sync.Mutex // one call at a time
	broken *Error     // why no further call can work

	closing sync.Once
}

// Join returns when all processes of the job have called it. Rank 0 serves the
// others until its store is closed. It waits as long as ctx allows; then the
// error lists who has joined and who has not. The n-th Join of a process meets
// the n-th Join of the others.
func Join(ctx context.Context, j Job) (*Store, error) {
	return join(ctx, j, defaultLimits())
}

func join(ctx context.Context, j Job, lim limits) (*Store, error) {
	s := &Store{me: self(j), limits: lim}
	if err := j.check(); err != nil {
		return nil, &Error{Op: "join", Text: err.Error(), Err: ErrRendezvous}
	}
	if j.Size == 1 {
		return s, nil
	}
	if err := s.enter(ctx, j); err != nil {
		return nil, s.abandon(s.explain("join", err))
	}
	return s, nil
}

// abandon closes a store that nobody will get.
func (s *Store) abandon(err *Error) error {
	if closeErr := s.Close(); closeErr != nil {
		return errors.Join(err, closeErr)
	}
	return err
}

// enter serves if this is rank 0, finds the server and waits for the others.
func (s *Store) enter(ctx context.Context, j Job) error {
	if j.Rendezvous == "" {
		return noRendezvous(j)
	}
	at, err := parseAddress(j.Rendezvous)
	if err != nil {
		return fmt.Errorf("%w: %q: %w", ErrRendezvous, j.Rendezvous, err)
	}
	if at.name != "" {
		if err := abstractNames(); err != nil {
			return fmt.Errorf("%w: %w", ErrRendezvous, err)
		}
	}
	s.at = at
	job, n := at, nextWorld(j)
	at = at.world(n)
	f := finder{network: at.network(), candidates: at.candidates(), secret: j.secret(n), me: s.me, limits: s.limits, vigil: j.vigil, at: at}
	if j.Rank == 0 {
		if f.candidates, err = s.serve(ctx, at, f); err != nil {
			return err
		}
		f.vigil.note(s.hub, at, "")
	}
	looking, lost := context.WithCancelCause(ctx)
	defer lost(nil)
	stop, err := j.heed(ctx, job, s.limits, func(rank int, how string) {
		switch {
		case uint(rank) >= uint(j.Size): // no part of this job, whatever it is
		case s.hub != nil:
			s.hub.ended(rank, how)
		default: // a server that is found knows better
			lost(&Error{Text: mourned(how), Err: ErrLost})
		}
	})
	if err != nil {
		return err
	}
	defer stop()
	if s.link, s.server, err = f.find(looking); err != nil {
		return notFound(s.me, at, err)
	}
	f.vigil.note(nil, at, fmt.Sprintf("waiting for other %s: not all have come to %v yet, at %s", s.me.nouns(), s.server, at.place(s.me)))
	defer s.seekTwin(ctx, at, f)()
	_, err = s.await(ctx)
	return err
}

// serve starts the server and returns where it is. An abstract name that is
// taken belongs to another rank 0 of this world: as its client we let it find
// out that we are two.
func (s *Store) serve(ctx context.Context, at address, f finder) ([]string, error) {
	ln, err := at.listen(ctx)
	if at.name != "" && errors.Is(err, syscall.EADDRINUSE) {
		return f.candidates, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s 0 %w", ErrRendezvous, s.me.noun, err)
	}
	s.hub = newHub(ln, f.secret, s.me, s.limits, f.vigil)
	return []string{ln.Addr().String()}, nil // "all addresses" dials this machine
}

// noRendezvous says what to set.
func noRendezvous(j Job) error {
	where := ""
	if j.LocalSize > 0 {
		where = fmt.Sprintf(", %d of them on this machine,", j.LocalSize)
	}
	hint := ""
	if j.Family == "torchrun" {
		hint = ", or MASTER_ADDR and MASTER_PORT"
	}
	return fmt.Errorf("%w: %d processes%s were started by %s, which does not say where they can meet: set GOSHMEM_RDZV=tcp:host:port for all, host being where rank 0 runs%s",
		ErrRendezvous, j.Size, where, j.Family, hint)
}

// Broadcast copies root's buf into everybody's, at most MaxBroadcast bytes. All
// pass the same length and root. It returns when all have called it.
func (s *Store) Broadcast(ctx context.Context, buf []byte, root int) error {
	if root < 0 || root >= s.me.size || len(buf) > MaxBroadcast {
		return s.reject("broadcast", fmt.Sprintf("%d bytes from rank %d: at most %d bytes, from ranks 0 to %d", len(buf), root, MaxBroadcast, s.me.size-1))
	}
	call := binary.BigEndian.AppendUint32(nil, uint32(root))
	call = binary.BigEndian.AppendUint32(call, uint32(len(buf)))
	var data []byte
	if root == s.me.rank {
		data = buf
	}
	got, err := s.call(ctx, "broadcast", kindCast, call, data)
	copy(buf, got) // the server made sure that the lengths agree
	return err
}

// Barrier returns when all processes of the job have called it.
func (s *Store) Barrier(ctx context.Context) error {
	_, err := s.call(ctx, "barrier", kindBarrier)
	return err
}

// call sends a call to the server and waits until it releases us.
func (s *Store) call(ctx context.Context, op string, k kind, parts ...[]byte) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken != nil {
		return nil, &Error{Op: op, Text: s.broken.Text, Err: s.broken.Err}
	}
	if s.link == nil {
		return nil, ctx.Err()
	}
	got, err := s.exchange(ctx, k, parts...)
	if err != nil {
		s.broken = s.explain(op, err)
		return nil, s.broken
	}
	return got, nil
}

// exchange sends a frame and waits for the answer.
func (s *Store) exchange(ctx context.Context, k kind, parts ...[]byte) ([]byte, error) {
	if err := s.link.send(k, parts...); err != nil {
		return nil, s.epitaph(err)
	}
	return s.await(ctx)
}

// await waits for the server's answer.
func (s *Store) await(ctx context.Context) ([]byte, error) {
	f, err := s.link.receiveContext(ctx)
	switch {
	case err == nil && f.kind == kindDone:
		return f.body, nil
	case err == nil && f.kind == kindError:
		text, kind := decodeBreach(f.body)
		return nil, &Error{Text: text, Err: kind}
	case err == nil:
		return nil, fmt.Errorf("%w: %q from the server", errFrame, f.kind)
	case ctx.Err() != nil:
		return nil, s.giveUp(context.Cause(ctx))
	}
	return nil, s.epitaph(err)
}

// giveUp tells the server that we stop waiting. Its answer, which all get, says
// who was there and who was not. It may have said so before, because another
// gave up first: then it may be gone, but what it said is still to be read.
func (s *Store) giveUp(why error) error {
	sendErr := s.link.send(kindGiveUp, []byte(why.Error()))
	if account := s.account(); account != nil {
		text := account.Text
		if s.hub != nil {
			text += s.at.hint(s.me)
		}
		return &Error{Text: text, Err: errors.Join(ErrMissing, why)}
	}
	return fmt.Errorf("%v gave up, and %v does not say who is missing: %w", s.me, s.server, errors.Join(why, ErrMissing, sendErr))
}

// epitaph is the error for a connection that broke: what the server said before,
// if it did, else that it is gone.
func (s *Store) epitaph(broke error) error {
	if account := s.account(); account != nil {
		return account
	}
	return fmt.Errorf("%w: %v, which serves the rendezvous, died or closed its connection: %w", ErrLost, s.server, broke)
}

// account reads on until the server's error, for a short time.
func (s *Store) account() *Error {
	ctx, cancel := context.WithTimeout(context.Background(), s.limits.farewell)
	defer cancel()
	for {
		f, err := s.link.receiveContext(ctx)
		if err != nil {
			return nil
		}
		if f.kind == kindError {
			text, kind := decodeBreach(f.body)
			return &Error{Text: text, Err: kind}
		}
	}
}

// reject is for arguments that cannot be right. The others must not wait for a
// call that does not come.
func (s *Store) reject(op, why string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := &Error{Op: op, Text: why, Err: ErrDisagree}
	if s.broken != nil || s.link == nil {
		return err
	}
	s.broken = err
	if sendErr := s.link.send(kindGiveUp, []byte(op+" of "+why)); sendErr != nil {
		return errors.Join(err, sendErr)
	}
	return err
}

// explain gives an error its operation.
func (s *Store) explain(op string, err error) *Error {
	var known *Error
	if errors.As(err, &known) {
		known.Op = op
		return known
	}
	return &Error{Op: op, Text: err.Error(), Err: err}
}

// Close leaves the job. Others that wait for this process, then or later, get an
// error that names it; rank 0 takes the rendezvous with it. Close does not wait
// for the others and may be called more than once.
func (s *Store) Close() error {
	var err error
	s.closing.Do(func() {
		if s.hub != nil {
			s.hub.close()
		} else if s.link != nil {
			_ = s.link.sendBy(time.Now().Add(s.limits.farewell), encode(kindBye)) // the server may be gone already
		}
		if s.link != nil {
			err = ignoreClosed(s.link.conn.Close())
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.broken = &Error{Text: ErrClosed.Error(), Err: ErrClosed}
	})
	return err
}
