// Gups: a table is spread over the PEs, and everybody changes random words of it. It shows
// remote atomics: the words are changed in place, by many PEs at once, and no change is
// lost.
//
//	goshmem run -n 4 ./examples/gups -words 1048576
//
// The pattern is that of RandomAccess in the HPC Challenge, which counts billions of
// updates per second. There one update of a hundred may be wrong; atomics lose none.
package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"time"

	"github.com/goshmem/goshmem/examples/progress"
	"github.com/goshmem/goshmem/shmem"
)

func main() {
	var p problem
	flag.IntVar(&p.words, "words", 1<<20, "8-byte words of the table on each PE")
	flag.IntVar(&p.updates, "updates", 4, "updates for each word, on average")
	flag.Uint64Var(&p.seed, "seed", 1, "seed of the updates")
	flag.Parse()
	p.rest = flag.Args()
	shmem.MainWith(shmem.Options{Engine: "host"}, p.run) // it computes on the CPU, also where there are GPUs
}

// problem is what the command line asks for.
type problem struct {
	words, updates int
	seed           uint64
	rest           []string
}

// check says what is wrong, on every PE alike.
func (p problem) check() error {
	switch {
	case len(p.rest) > 0:
		return fmt.Errorf("unexpected argument %q: sizes are given as -words and -updates", p.rest[0])
	case p.words < 1:
		return fmt.Errorf("-words %d: use at least 1", p.words)
	case p.updates < 1 || p.updates > 1e6:
		return fmt.Errorf("-updates %d: use 1 to 1000000", p.updates)
	}
	return nil
}

func (p problem) run(ctx context.Context, w *shmem.World) error {
	if err := p.check(); err != nil {
		return err
	}
	t, err := newTable(ctx, w, p)
	if err != nil {
		return err
	}
	elapsed, err := t.update(ctx, t.stream(), p.words*p.updates)
	if err != nil {
		return err
	}
	if err := t.arrived(ctx); err != nil {
		return err
	}
	updates := p.words * p.updates * w.NPEs()
	if w.MyPE() == 0 {
		fmt.Printf("%d updates on %d PEs: %s GUP/s\n", updates, w.NPEs(), digits(float64(updates)/elapsed.Seconds()/1e9))
	}
	// The exclusive or with the same number, once more, gives what was there before.
	if _, err := t.update(ctx, t.stream(), p.words*p.updates); err != nil {
		return err
	}
	if err := t.untouched(ctx); err != nil {
		return err
	}
	if w.MyPE() == 0 {
		fmt.Println("after the same updates again the table is as it was: 0 errors")
	}
	return nil
}

// digits writes a rate with three digits that count, and no exponent.
func digits(rate float64) string {
	return strconv.FormatFloat(rate, 'f', max(0, 2-int(math.Floor(math.Log10(rate)))), 64)
}

// update changes n words of the table, and says how long it took until all PEs had done
// so.
func (t *table) update(ctx context.Context, random *rand.PCG, n int) (time.Duration, error) {
	const portion = 1 << 16
	var line *progress.Line // nil is silent
	if t.w.MyPE() == 0 {
		line = progress.New(os.Stderr, (n+portion-1)/portion)
	}
	defer line.Done()
	if err := t.w.Barrier(ctx); err != nil { // all start the clock together
		return 0, err
	}
	start := time.Now()
	for ; n > 0; n -= portion {
		if err := t.some(random, min(n, portion)); err != nil {
			return 0, err
		}
		line.Step()
	}
	err := t.w.Barrier(ctx)
	return time.Since(start), err
}

// some changes n words.
func (t *table) some(random *rand.PCG, n int) error {
	pes, words, sum := uint64(t.w.NPEs()), uint64(t.words.Len()), t.sent
	for range n {
		v := random.Uint64()
		pe, word := place(v, pes, words)
		if err := shmem.AtomicXor(t.words, word, v, pe); err != nil {
			return err
		}
		sum ^= v
	}
	t.sent = sum
	return nil
}
