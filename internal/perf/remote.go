package perf

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Limits of waiting for a job that takes orders. They are for jobs that hang: one
// that ends is noticed at once.
const (
	startLimit  = 60 * time.Second
	answerLimit = 60 * time.Second
	endLimit    = 20 * time.Second
)

// remote is a job that takes orders, as the leading process sees it.
type remote struct {
	name  string
	said  string // about itself
	conn  net.Conn
	in    *bufio.Reader
	stop  context.CancelFunc
	ended chan struct{} // closed when the job has ended
	err   error         // of the job; valid then
	gone  bool          // it was lost, which has been reported
}

// hire starts a job, which is to connect to the socket that run gets, and waits
// until it has. The job has pes PEs.
func hire(ctx context.Context, name, dir string, pes int, run func(ctx context.Context, socket string) error) (*remote, error) {
	socket := filepath.Join(dir, strings.ReplaceAll(name, " ", "-")+strconv.Itoa(pes))
	l, err := net.Listen("unix", socket) // its end removes the file
	if err != nil {
		return nil, fmt.Errorf("listen for %s: %w", name, err)
	}
	ctx, stop := context.WithTimeout(ctx, time.Hour)
	r := &remote{name: name, stop: stop, ended: make(chan struct{})}
	late := time.AfterFunc(startLimit, func() { l.Close() })
	go func() {
		r.err = run(ctx, socket)
		close(r.ended)
		l.Close() // it is not coming any more
	}()
	r.conn, err = l.Accept()
	late.Stop()
	l.Close()
	if err != nil {
		return nil, r.lost(fmt.Errorf("it did not start: %w", err))
	}
	r.in = bufio.NewReader(r.conn)
	line, err := r.receive(startLimit)
	said, ready := strings.CutPrefix(line, readyWord+strconv.Itoa(pes)+" ")
	if err == nil && !ready {
		err = fmt.Errorf("it said %q instead of being ready with %d PEs", line, pes)
	}
	if err != nil {
		return nil, r.lost(err)
	}
	r.said = said
	return r, nil
}

// receive reads a line.
func (r *remote) receive(limit time.Duration) (string, error) {
	if err := r.conn.SetReadDeadline(time.Now().Add(limit)); err != nil {
		return "", err
	}
	line, err := r.in.ReadString('\n')
	if errors.Is(err, io.EOF) {
		err = errors.New("it has closed the connection")
	}
	return strings.TrimSuffix(line, "\n"), err
}

// side orders something; n is filled in.
func (r *remote) side(o Order) side {
	return func(n int) (time.Duration, error) {
		o.N = n
		return r.ask(o)
	}
}

func (r *remote) ask(o Order) (time.Duration, error) {
	if _, err := fmt.Fprintln(r.conn, o); err != nil {
		return 0, r.lost(err)
	}
	line, err := r.receive(answerLimit)
	if err != nil {
		return 0, r.lost(err)
	}
	ns, err := strconv.ParseInt(line, 10, 64)
	if err != nil || ns < 0 {
		return 0, fmt.Errorf("%s, asked for %q: %s", r.name, o, line)
	}
	return time.Duration(ns), nil
}

// lost ends a job that cannot be talked to, and adds to why what the job said.
func (r *remote) lost(why error) error {
	r.gone = true
	if r.conn != nil {
		r.conn.Close() // nothing more is expected from it
	}
	select {
	case <-r.ended: // by itself
	case <-time.After(time.Second): // by itself it would have ended by now
	}
	r.stop()
	<-r.ended // run ends with its context
	return fmt.Errorf("%s: %w", r.name, errors.Join(why, r.err))
}

// dismiss tells the job to quit and waits for its end. What it answered until then
// is complete, whatever becomes of it afterwards: a library may crash while it
// tidies up, and with crashes set that is no error.
func (r *remote) dismiss(crashes bool) error {
	if r.gone {
		return nil
	}
	defer r.stop()
	_, err := fmt.Fprintln(r.conn, quitLine)
	line := ""
	if err == nil {
		line, err = r.receive(answerLimit)
	}
	if err == nil && line != byeLine {
		err = fmt.Errorf("told to quit, it said %q", line)
	}
	if err != nil {
		return r.lost(err)
	}
	r.conn.Close() // both have said all
	select {
	case <-r.ended:
	case <-time.After(endLimit):
		r.stop()
		<-r.ended
	}
	if crashes || r.err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", r.name, r.err)
}
