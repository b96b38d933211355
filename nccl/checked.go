package nccl

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"

	"github.com/goshmem/goshmem/internal/ccl"
)

// checker compares the collectives of all ranks before they start.
type checker struct {
	rank, size int
	exchange   seat
	posted     int // calls that are not compared yet
}

// seat is a rank's place among those that compare.
type seat interface {
	// post says what this rank calls next.
	post(text []byte)
	// collect returns what all have posted for the next call to compare.
	collect(ctx context.Context) ([][]byte, error)
}

// textRoom is how long the description of a call can be.
const textRoom = 256

// newChecker compares over the rendezvous, which stays open.
func newChecker(c *Comm, m *meeting) *checker {
	c.resources = append(c.resources, closing{m})
	return &checker{rank: m.rank, size: m.size, exchange: &remote{m: m}}
}

// closing ends a meeting with the communicator.
type closing struct{ m *meeting }

func (c closing) release() error { return c.m.Close() }

// post describes a call. Sends and receives are not calls of all.
func (k *checker) post(c ccl.Call) {
	if c.Kind == ccl.Send || c.Kind == ccl.Recv {
		return
	}
	k.posted++
	k.exchange.post([]byte(describeCall(c)))
}

// describeCall has what must be the same on all ranks, and then, in parentheses, where it is.
func describeCall(c ccl.Call) string {
	text := c.Kind.String()
	if c.Kind != ccl.AllToAllV {
		text += fmt.Sprintf(" of %d %v", c.Count, c.Type)
	} else {
		text += fmt.Sprintf(" of %v", c.Type)
	}
	if c.Kind.Reduces() {
		text += " by " + c.Op.String()
	}
	if c.Kind.Rooted() {
		text += fmt.Sprintf(" with root %d", c.Peer)
	}
	text += " (" + site() + ")"
	return text[:min(len(text), textRoom)]
}

// site is the line of the program that has called this package.
func site() string {
	var pcs [16]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		f, more := frames.Next()
		if !strings.Contains(f.Function, "/nccl.") || strings.HasSuffix(f.File, "_test.go") {
			return fmt.Sprintf("%s:%d", f.File[strings.LastIndexByte(f.File, '/')+1:], f.Line)
		}
		if !more {
			return "somewhere"
		}
	}
}

// verify compares all that has been posted.
func (k *checker) verify(ctx context.Context) error {
	for k.posted > 0 {
		k.posted--
		texts, err := k.exchange.collect(ctx)
		if err != nil {
			return fmt.Errorf("checked mode: not all ranks have come to this call: %w", err)
		}
		if err := disagreement(texts); err != nil {
			return err
		}
	}
	return nil
}

// disagreement names the calls, and who makes them, if they differ.
func disagreement(texts [][]byte) error {
	var calls []string
	ranks := map[string][]string{}
	for rank, text := range texts {
		call, _, _ := strings.Cut(string(text), " (")
		if ranks[call] == nil {
			calls = append(calls, call)
		}
		ranks[call] = append(ranks[call], fmt.Sprint(rank))
	}
	if len(calls) == 1 {
		return nil
	}
	var parts []string
	for _, call := range calls {
		first := ranks[call][0]
		at := 0
		fmt.Sscan(first, &at)
		parts = append(parts, fmt.Sprintf("ranks %s: %s", strings.Join(ranks[call], ", "), texts[at]))
	}
	return problem(ErrMismatch, "nothing was started, because the ranks call different things: %s", strings.Join(parts, "; "))
}

// remote compares with ranks of other processes.
type remote struct {
	m     *meeting
	texts [][]byte
}

func (r *remote) post(text []byte) { r.texts = append(r.texts, text) }

func (r *remote) collect(ctx context.Context) ([][]byte, error) {
	text := r.texts[0]
	r.texts = r.texts[1:]
	return r.m.gather(ctx, text, textRoom)
}

// board is where the ranks of one process post.
type board struct {
	mu     sync.Mutex
	size   int
	rounds map[int]*round
}

// round is what all post for one call.
type round struct {
	texts [][]byte
	come  int
	seen  int
	full  chan struct{}
}

func newBoard(size int) *board { return &board{size: size, rounds: map[int]*round{}} }

// seat is the place of a rank.
func (b *board) seat(rank int) seat { return &local{board: b, rank: rank} }

// round returns the n-th; b.mu is held.
func (b *board) round(n int) *round {
	r := b.rounds[n]
	if r == nil {
		r = &round{texts: make([][]byte, b.size), full: make(chan struct{})}
		b.rounds[n] = r
	}
	return r
}

// local compares with ranks of the same process.
type local struct {
	board             *board
	rank              int
	posted, collected int
}

func (l *local) post(text []byte) {
	b := l.board
	b.mu.Lock()
	defer b.mu.Unlock()
	r := b.round(l.posted)
	l.posted++
	r.texts[l.rank] = text
	if r.come++; r.come == b.size {
		close(r.full)
	}
}

func (l *local) collect(ctx context.Context) ([][]byte, error) {
	b := l.board
	b.mu.Lock()
	n := l.collected
	r := b.round(n)
	l.collected++
	b.mu.Unlock()
	select {
	case <-r.full:
	case <-ctx.Done():
		return nil, b.absent(ctx, r)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if r.seen++; r.seen == b.size {
		delete(b.rounds, n)
	}
	return r.texts, nil
}

// absent names those that have not come.
func (b *board) absent(ctx context.Context, r *round) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	var list []string
	for rank, text := range r.texts {
		if text == nil {
			list = append(list, fmt.Sprint(rank))
		}
	}
	return fmt.Errorf("absent: ranks %s: %w", strings.Join(list, ", "), late(ctx))
}
