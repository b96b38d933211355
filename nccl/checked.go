package nccl

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/goshmem/goshmem/internal/ccl"
)

// checker compares the collectives of all ranks before they start.
type checker struct {
	exchange seat
	made     [][]byte // calls that nobody else knows of yet
	posted   int      // calls that are not compared yet
	logf     func(format string, args ...any)
}

// textRoom is how long the description of a call can be.
const textRoom = 256

// heir is the checker of a communicator that is made of this one, whose ranks have a birth in
// common. Where they cannot find each other there is none, which is told.
func (k *checker) heir(f *family, op string, b birth) *checker {
	if k == nil {
		return nil
	}
	exchange, why := seat(nil), "those that join it know nothing but an id"
	if op != opGrow {
		exchange, why = k.exchange.heir(f, fmt.Sprintf("%s %s %d of color %d", op, b.how, b.number, b.color))
	}
	if why != "" {
		k.logf("checked mode does not reach what %s makes: %s", op, why)
		return nil
	}
	return &checker{exchange: exchange, logf: k.logf}
}

// begin is when the communicator is ready.
func (k *checker) begin(rank, size int, limit time.Duration) {
	if k != nil {
		k.exchange.begin(rank, size, limit)
	}
}

// close ends the exchange with the communicator.
func (k *checker) close() error {
	if k == nil {
		return nil
	}
	return k.exchange.close()
}

// post describes a call. Sends and receives are not calls of all.
func (k *checker) post(c ccl.Call) {
	if c.Kind == ccl.Send || c.Kind == ccl.Recv {
		return
	}
	k.made = append(k.made, appendCounts([]byte(describeCall(c)), c.Counts))
}

// forget drops the calls of a group that is dropped.
func (k *checker) forget() {
	if k != nil {
		k.made = nil
	}
}

// publish tells the others of the calls, before any of this goroutine waits for theirs.
func (k *checker) publish() {
	if k == nil {
		return
	}
	for _, text := range k.made {
		k.exchange.post(text)
	}
	k.posted += len(k.made)
	k.made = nil
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

// verify compares all that has been published, to the end: the next calls are not to be
// compared with these.
func (k *checker) verify(ctx context.Context) (wrong error) {
	for ; k.posted > 0; k.posted-- {
		texts, err := k.exchange.collect(ctx)
		if err != nil {
			k.posted = 0
			return fmt.Errorf("checked mode: not all ranks have come to this call: %w", parted(err))
		}
		if wrong == nil {
			wrong = disagreement(texts)
		}
	}
	return wrong
}

// disagreement names the calls, and who makes them, if they differ.
func disagreement(texts [][]byte) error {
	var calls []string
	ranks := map[string][]string{}
	for rank, text := range texts {
		call, _, _ := strings.Cut(words(text), " (")
		if ranks[call] == nil {
			calls = append(calls, call)
		}
		ranks[call] = append(ranks[call], fmt.Sprint(rank))
	}
	if len(calls) == 1 {
		return uneven(texts)
	}
	var parts []string
	for _, call := range calls {
		first := ranks[call][0]
		at := 0
		fmt.Sscan(first, &at)
		parts = append(parts, fmt.Sprintf("ranks %s: %s", strings.Join(ranks[call], ", "), words(texts[at])))
	}
	return problem(ErrMismatch, "nothing was started, because the ranks call different things: %s", strings.Join(parts, "; "))
}
