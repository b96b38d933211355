package transport

import (
	"bufio"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/goshmem/goshmem/internal/ucx"
)

// heapSize is the memory of each process: two areas and the words of the ping-pong.
const heapSize = 8 << 20

// end is one of our two processes.
type end struct {
	c      Case
	w      *ucx.Worker
	remote *ucx.Remote
	memory []byte
}

// Work is what one of our processes does: args are the case as JSON and whether it
// drives. It says where it is, reads where the other is, and the one that drives writes
// nanoseconds of an operation. It ends with its input.
func Work(ctx context.Context, args []string, in io.Reader, out io.Writer) (err error) {
	if len(args) != 2 {
		return errors.New("a process of a comparison of transports, which compare -ucx starts")
	}
	e := &end{}
	if err := json.Unmarshal([]byte(args[0]), &e.c); err != nil {
		return err
	}
	if e.w, err = ucx.Open(ucx.Config{Peers: 1}); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.w.Close()) }()
	input := bufio.NewReader(in)
	if err := e.meet(input, out); err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = io.Copy(io.Discard, input) // however it ends, it ends
	}()
	if args[1] == "true" {
		ns, err := e.drive(ctx)
		if err != nil {
			return err
		}
		fmt.Fprintln(out, strconv.FormatFloat(ns, 'f', 2, 64))
	} else if err := e.answer(ended); err != nil {
		return err
	}
	<-ended
	return nil
}

// meet connects the two.
func (e *end) meet(in io.Reader, out io.Writer) error {
	m, err := e.w.Allocate(heapSize)
	if err != nil {
		return err
	}
	e.memory = m.Bytes()
	fmt.Fprintf(out, "%x %x %d\n", e.w.Address(), m.Key(), m.Base())
	var texts [2]string
	var base uint64
	if _, err := fmt.Fscanln(in, &texts[0], &texts[1], &base); err != nil {
		return fmt.Errorf("read where the other is: %w", err)
	}
	address, err1 := hex.DecodeString(texts[0])
	key, err2 := hex.DecodeString(texts[1])
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	p, err := e.w.Connect("the other process", address)
	if err != nil {
		return err
	}
	e.remote, err = p.Map(key, base)
	return err
}

// Where things are: data in the first half; in the second the word of the ping-pong, and what
// is put to that of the other, far enough apart that no cache fetches one for the other.
const (
	word   = heapSize / 2
	source = word + 4096
)

// at is an address in our memory.
func (e *end) at(offset int) unsafe.Pointer { return unsafe.Pointer(&e.memory[offset]) }

// looks at the word for each call of Progress: what comes over shared memory needs none, and
// for what comes over TCP they are short.
const looks = 200

// sight waits until the other has put a number, or ended is closed.
func (e *end) sight(number uint64, ended <-chan struct{}) bool {
	for p := (*uint64)(e.at(word)); ; {
		for range looks {
			if atomic.LoadUint64(p) == number {
				return true
			}
		}
		e.w.Progress()
		select {
		case <-ended:
			return false
		default:
		}
	}
}

// ping puts a number to the other.
func (e *end) ping(number uint64) error {
	*(*uint64)(e.at(source)) = number
	return e.remote.Put(word, e.at(source), 8)
}

// answer is what the other process does until its input ends.
func (e *end) answer(ended <-chan struct{}) error {
	if e.c.Op == Latency {
		for i := uint64(1); e.sight(i, ended); i++ {
			if err := e.ping(i); err != nil {
				return err
			}
		}
		return nil
	}
	for !e.c.Sleep {
		select {
		case <-ended:
			return nil
		default:
			e.w.Progress()
		}
	}
	return nil
}

// drive warms up, then measures.
func (e *end) drive(ctx context.Context) (float64, error) {
	number := uint64(0)
	one := map[string]func() error{
		Latency: func() error {
			number++
			err := e.ping(number)
			e.sight(number, ctx.Done())
			return err
		},
		Get:       func() error { return e.remote.Get(0, e.at(0), uintptr(e.c.Size)) },
		FetchAdd:  func() error { _, err := e.remote.Atomic(0, ucx.Add, 8, 1, 0); return err },
		Bandwidth: func() error { return e.remote.PutNBI(0, e.at(0), uintptr(e.c.Size)) },
	}[e.c.Op]
	ns, err := 0.0, error(nil)
	for _, n := range []int{max(e.c.N/10, 1), e.c.N} {
		if e.c.single() {
			ns, err = median(n, one)
		} else {
			ns, err = e.mean(ctx, n, one)
		}
		if err != nil {
			return 0, err
		}
	}
	if e.c.Op == Latency {
		ns /= 2 // there and back
	}
	return ns, nil
}

// mean is that of n operations, with a flush behind them.
func (e *end) mean(ctx context.Context, n int, one func() error) (float64, error) {
	start := time.Now()
	for range n {
		if err := one(); err != nil {
			return 0, err
		}
	}
	if err := e.w.Flush(ctx); err != nil {
		return 0, err
	}
	return float64(time.Since(start)) / float64(n), nil
}

// median is that of n operations.
func median(n int, one func() error) (float64, error) {
	times := make([]time.Duration, n)
	for i := range times {
		start := time.Now()
		if err := one(); err != nil {
			return 0, err
		}
		times[i] = time.Since(start)
	}
	slices.Sort(times)
	return float64(times[n/2]), nil
}
