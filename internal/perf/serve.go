package perf

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/goshmem/goshmem/shmem"
)

// Lines of the conversation between a measurement and a job that takes orders,
// beside orders and figures.
const (
	quitLine  = "quit"
	byeLine   = "bye"
	readyWord = "ready "
	errorWord = "error "
	dialLimit = 10 * time.Second
	orderHeap = 4 * MostBytes // one-sided operations need one, collectives two
)

// servant is a PE of a job that takes orders.
type servant struct {
	*crew
	moves *moves
	word  shmem.Array[int64]
}

// serve is one PE of a job that takes orders from a unix socket until it is told to
// quit or the other end closes: PE 0 reads them, the others follow.
func serve(ctx context.Context, socket string, bound bool) error {
	debug.SetGCPercent(-1) // as in work
	c, err := newCrew(ctx, shmem.Options{HeapSize: orderHeap})
	if err == nil && bound {
		err = settleDown(c.w.MyPE())
	}
	if err != nil {
		return err
	}
	s := &servant{crew: c}
	if s.moves, err = newMoves(ctx, c.w); err != nil {
		return err
	}
	if s.word, err = shmem.Alloc[int64](ctx, c.w, 1); err != nil {
		return err
	}
	if c.w.MyPE() != 0 {
		err = c.follow()
	} else {
		err = errors.Join(s.listen(socket), c.tell(quit, 0, 0))
	}
	return errors.Join(err, c.w.Finalize(ctx))
}

// settleDown binds this goroutine's thread to the core of PE pe. The other threads of
// the Go runtime stay free: one that looks after the rest would take a core that it
// shares with the only working thread for about a millisecond in every order.
func settleDown(pe int) error {
	cores, err := twoCores()
	if err != nil || len(cores) == 0 {
		return err
	}
	runtime.LockOSThread() // for good
	return bind(cores[pe%len(cores)])
}

// listen carries out what it reads.
func (s *servant) listen(socket string) error {
	conn, err := net.DialTimeout("unix", socket, dialLimit)
	if err != nil {
		return fmt.Errorf("reach the measurement: %w", err)
	}
	defer conn.Close() // nothing is written after the last answer has been sent
	_, err = fmt.Fprintf(conn, "%s%d goshmem\n", readyWord, s.w.NPEs())
	lines := bufio.NewScanner(conn)
	for err == nil && lines.Scan() && lines.Text() != quitLine {
		_, err = fmt.Fprintln(conn, s.answer(lines.Text()))
	}
	if err = errors.Join(err, lines.Err()); err == nil {
		_, err = fmt.Fprintln(conn, byeLine)
	}
	return err
}

func (s *servant) answer(line string) string {
	o, err := ParseOrder(line)
	if err != nil {
		return errorWord + oneLine(err)
	}
	d, err := s.measure(o)
	if err != nil {
		return errorWord + o.String() + ": " + oneLine(err)
	}
	return fmt.Sprint(d.Nanoseconds())
}

// measure carries out an order.
func (s *servant) measure(o Order) (time.Duration, error) {
	switch o.Op {
	case OpBarrier:
		return s.side(barrier)(o.N)
	case OpSync:
		return s.side(sync)(o.N)
	}
	if a := collectiveAct(o.Op); a >= 0 {
		if least := leastVector(o.Op, s.w.NPEs()); o.Size%least != 0 {
			return 0, fmt.Errorf("SIZE must be a multiple of %d for %d PEs", least, s.w.NPEs())
		}
		return s.sized(gather+a, o.Size)(o.N)
	}
	if s.w.NPEs() != 2 {
		return 0, errors.New("that is for two PEs")
	}
	switch o.Op {
	case OpPingPong:
		d, err := s.side(volley)(o.N)
		return d / 2, err // one way
	case OpSeen:
		d, err := s.side(seen)(o.N)
		return d / 2, err
	case OpPut, OpGet:
		return s.moves.measure(o)
	}
	side := s.moves.words(s.word, o)
	if side == nil {
		return 0, errors.New("there is no such operation")
	}
	return warm(side)(o.N)
}
