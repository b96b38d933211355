package nccl

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/goshmem/goshmem/launch"
)

// seat is a rank's place among those that compare.
type seat interface {
	// begin takes the place, when the communicator is ready. It waits for nobody.
	begin(rank, size int, limit time.Duration)
	// post says what this rank calls next.
	post(text []byte)
	// collect returns what all have posted for the next call to compare.
	collect(ctx context.Context) ([][]byte, error)
	// heir is the place among the ranks of a communicator that is made of this one, or why
	// there is none.
	heir(f *family, name string) (s seat, why string)
	// close leaves the place.
	close() error
}

// remote compares with ranks of other processes.
type remote struct {
	m      *meeting
	job    launch.Job // the ranks that meet, or those of which some will
	name   string     // of these among those of the job
	alone  string     // why communicators that are made of this one have no meeting
	texts  [][]byte
	met    chan struct{} // closed when m is there, or why there is none; nil before begin
	err    error
	cancel context.CancelFunc
}

// newRemote compares over the rendezvous, which stays open.
func newRemote(m *meeting, job launch.Job) *remote {
	r := &remote{m: m, job: job, met: make(chan struct{}), cancel: func() {}}
	close(r.met)
	switch {
	case m.store == nil:
		r.alone = "Options.Exchange is for all ranks, not for some of them"
	case m.spread:
		r.alone = "the ranks are on several machines, where they cannot tell at which of them to meet"
	}
	return r
}

// heir meets at a place that is derived from the job's.
func (r *remote) heir(_ *family, name string) (seat, string) {
	if r.alone != "" {
		return nil, r.alone
	}
	return &remote{job: r.job, name: name}, ""
}

// begin has the ranks meet, unless they have already. In a group other communicators come
// next, maybe in another order on other ranks: who compares waits for it.
func (r *remote) begin(rank, size int, limit time.Duration) {
	if r.met != nil {
		return
	}
	r.met = make(chan struct{})
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	r.cancel = cancel
	go func() {
		defer close(r.met)
		defer cancel()
		var store *launch.Store
		if r.job, r.err = r.job.Group(r.name, rank, size); r.err == nil {
			store, r.err = launch.Join(ctx, r.job)
		}
		r.m = &meeting{exchange: store, store: store, rank: rank, size: size}
	}()
}

func (r *remote) post(text []byte) { r.texts = append(r.texts, text) }

func (r *remote) collect(ctx context.Context) ([][]byte, error) {
	text := r.texts[0]
	r.texts = r.texts[1:]
	select {
	case <-r.met:
	case <-ctx.Done():
		return nil, late(ctx)
	}
	if r.err != nil {
		return nil, r.err
	}
	room := textRoom + countsRoom(r.m.size)
	if room > launch.MaxBroadcast { // more than 4000 ranks: the rest is still compared
		text, room = []byte(words(text)), textRoom
	}
	return r.m.gather(ctx, text, room)
}

func (r *remote) close() error {
	if r.met == nil {
		return nil
	}
	r.cancel()
	<-r.met
	return r.m.Close()
}

// board is where the ranks of one process post. Its size is known when the communicator is
// ready.
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

func newBoard() *board { return &board{rounds: map[int]*round{}} }

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

// heir is at the board of all that are made so.
func (l *local) heir(f *family, _ string) (seat, string) { return &local{board: f.posts()}, "" }

func (l *local) begin(rank, size int, _ time.Duration) {
	l.board.mu.Lock()
	defer l.board.mu.Unlock()
	l.rank, l.board.size = rank, size
}

func (l *local) close() error { return nil }

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
