package launcher

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// drainTime is how long the output of a dead rank may still be on its way. Only
// a stray process that holds the pipe open makes it last longer.
const drainTime = time.Second

// wiring leads the streams of all ranks to where the Spec wants them.
type wiring struct {
	spec   Spec
	lines  sync.Mutex // held while a line is written, to Stdout or Stderr: both may be one terminal
	broken chan error // the first writer's error
	pumps  sync.WaitGroup
	pipes  []*os.File
}

// stream is where one stream of a rank goes.
type stream struct {
	to    []io.Writer
	close []io.Closer // of those in to that belong to this job, not to the caller
}

// ends are the child's ends of its streams.
type ends struct{ stdout, stderr *os.File }

func (e ends) close() error {
	if e.stdout == e.stderr {
		return e.stdout.Close()
	}
	return errors.Join(e.stdout.Close(), e.stderr.Close())
}

func newWiring(s Spec) (*wiring, error) {
	if s.OutputDir != "" {
		if err := os.MkdirAll(s.OutputDir, 0o777); err != nil {
			return nil, fmt.Errorf("output folder: %w", err)
		}
	}
	return &wiring{spec: s, broken: make(chan error, 1)}, nil
}

// connect makes the pipes of a rank and starts to read them. The tail must not
// be read before drain has returned.
func (w *wiring) connect(rank int) (ends, *tail, error) {
	last := &tail{}
	out, errs, err := w.streams(rank)
	if err != nil {
		return ends{}, nil, err
	}
	errs.to = append(errs.to, last)
	if w.spec.Merge {
		out.to = append(out.to, last)
	}
	stdout, err := w.pipe(out)
	if err != nil || w.spec.Merge {
		return ends{stdout, stdout}, last, err
	}
	stderr, err := w.pipe(errs)
	return ends{stdout, stderr}, last, err
}

// pipe returns the writing end of a new pipe whose other end feeds s.
func (w *wiring) pipe(s stream) (*os.File, error) {
	r, child, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("pipe for the output: %w", err)
	}
	w.pipes = append(w.pipes, r)
	w.pumps.Go(func() { w.pump(r, s) })
	return child, nil
}

func (w *wiring) streams(rank int) (out, errs stream, err error) {
	if w.spec.Output != nil {
		o, e := w.spec.Output(rank)
		out.add(o)
		errs.add(e)
	} else {
		prefix := w.spec.prefix(rank)
		out.addLines(w, w.spec.Stdout, prefix)
		errs.addLines(w, w.spec.Stderr, prefix)
	}
	if w.spec.OutputDir == "" {
		return out, errs, nil
	}
	base := filepath.Join(w.spec.OutputDir, fmt.Sprintf("rank-%d", rank))
	return out, errs, errors.Join(out.addFile(base+".stdout"), errs.addFile(base+".stderr"))
}

func (s *stream) add(w io.Writer) {
	if w != nil {
		s.to = append(s.to, w)
	}
}

func (s *stream) addLines(w *wiring, to io.Writer, prefix string) {
	if to != nil {
		l := &lineWriter{mu: &w.lines, out: to, prefix: prefix}
		s.to, s.close = append(s.to, l), append(s.close, l)
	}
}

func (s *stream) addFile(name string) error {
	f, err := os.Create(name)
	if err != nil {
		return fmt.Errorf("output folder: %w", err)
	}
	s.to, s.close = append(s.to, f), append(s.close, f)
	return nil
}

// pump hands what comes from a pipe to all of s, until the end of the pipe. When
// a writer fails the job is told, and reading goes on: a rank must not block or
// die because its output cannot be shown.
func (w *wiring) pump(r *os.File, s stream) {
	buf := make([]byte, 32<<10)
	for {
		n, err := r.Read(buf)
		for i, to := range s.to {
			if _, werr := to.Write(buf[:n]); werr != nil {
				s.to[i] = io.Discard
				w.fail(werr)
			}
		}
		if err != nil {
			break // the end, or drain's deadline
		}
	}
	for _, c := range s.close {
		if err := c.Close(); err != nil {
			w.fail(err)
		}
	}
}

func (w *wiring) fail(err error) {
	select {
	case w.broken <- err:
	default: // one is enough to stop the job
	}
}

// drain waits for the last output; call it when all ranks are dead.
func (w *wiring) drain() error {
	var errs []error
	for _, r := range w.pipes {
		errs = append(errs, r.SetReadDeadline(time.Now().Add(drainTime)))
	}
	w.pumps.Wait()
	for _, r := range w.pipes {
		errs = append(errs, r.Close())
	}
	return errors.Join(errs...)
}
