package perf

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"time"
	"unsafe"

	"github.com/goshmem/goshmem/dtype"
	"github.com/goshmem/goshmem/internal/reduce"
)

//go:embed c/reduce.c
var reduceSource []byte

// Limits against the loops that vectors are combined with otherwise.
const (
	loopWanted  = 1.1
	plainWanted = 1.0 / 8
)

// largestVector is what no cache holds.
const largestVector = 64 << 20

// Reduce measures how vectors are combined: of float32 against a loop in C that the
// compiler makes the most of, of BFloat16 against a loop in Go, and by two processes
// that share the work.
func Reduce(ctx context.Context, o Options) (Record, error) {
	return record(ctx, "reduce", o, []string{
		"C loop: compiled with -O3 -march=native; its memory is its own, of the same size",
		"two processes: each combines its half of both vectors and writes it to both, from one barrier to the next; each is bound to a core",
		"ratio is the median of the ratios of the samples; both sides of a sample ran next to each other, and in another order every round",
	}, (*measurement).reductions)
}

func (m *measurement) reductions(ctx context.Context, dir string) ([]Row, error) {
	program, missing, err := compile(ctx, dir, "reduce", reduceSource, "-O3", "-march=native")
	if err != nil {
		return nil, err
	}
	var benches []bench
	for _, bytes := range sizes(m.largest) {
		for _, kind := range []string{"sum", "add"} {
			b := bench{name: sumName(kind, bytes), ours: sumSide(kind, bytes), wanted: loopWanted, note: missing, allocs: bytes == 16<<10}
			if program != "" {
				b.rivals = against("C loop", cLoop(ctx, program, kind, bytes))
			}
			benches = append(benches, b)
		}
	}
	benches = append(benches, bfloatBench(256<<10))
	rows, err := contest{rounds: m.Rounds, batch: m.Batch, cores: m.cores}.run(benches)
	if err != nil || len(m.cores) < 2 {
		return rows, err
	}
	shared, err := m.work(ctx, 2, workShare, task{Rounds: m.Rounds, Vector: m.largest})
	return append(rows, shared...), err
}

// sizes are those for the levels of cache, up to the largest.
func sizes(largest int) []int {
	all := []int{16 << 10, 256 << 10, 4 << 20, largest}
	return slices.DeleteFunc(all, func(bytes int) bool { return bytes > largest })
}

func sumName(kind string, bytes int) string {
	return fmt.Sprintf("float32 %s, %s", map[string]string{"sum": "d = a + b", "add": "d += a"}[kind], size(bytes))
}

// size writes a number of bytes as people do.
func size(bytes int) string {
	if bytes < 1<<20 {
		return fmt.Sprintf("%d KiB", bytes>>10)
	}
	return fmt.Sprintf("%d MiB", bytes>>20)
}

// operands are three vectors behind each other, from the beginning of a page on, as in
// C. They are there from the first call on, so that vectors that are not measured yet
// take no memory.
func operands(bytes int) func() (d, a, b unsafe.Pointer) {
	const page = 4096
	var slab []byte
	return func() (d, a, b unsafe.Pointer) {
		if slab == nil {
			slab = make([]byte, 3*bytes+page)
			for i := range slab { // what was never written is one page of the kernel's
				slab[i] = 1
			}
		}
		start := -uintptr(unsafe.Pointer(unsafe.SliceData(slab))) % page
		d = unsafe.Pointer(&slab[start])
		return d, unsafe.Add(d, bytes), unsafe.Add(d, 2*bytes)
	}
}

// sumSide combines float32s: kind and the first time, which does not count, as in C.
func sumSide(kind string, bytes int) side {
	vectors := operands(bytes)
	return func(n int) (time.Duration, error) {
		d, a, b := vectors()
		if kind == "add" {
			a, b = d, a
		}
		sum := func(n int) error {
			for range n {
				reduce.Combine(reduce.Float32, reduce.Sum, d, a, b, bytes/4)
			}
			return nil
		}
		if err := sum(1); err != nil {
			return 0, err
		}
		return loop(sum)(n)
	}
}

// cLoop is the C program as a side.
func cLoop(ctx context.Context, program, kind string, bytes int) side {
	return func(n int) (time.Duration, error) {
		return timed(ctx, nil, []string{program, kind, strconv.Itoa(bytes)}, n)
	}
}

// bfloatBench adds numbers that Go has no arithmetic for.
func bfloatBench(bytes int) bench {
	vectors := operands(bytes)
	ours := func(n int) error {
		d, a, b := vectors()
		for range n {
			reduce.Combine(reduce.BFloat16, reduce.Sum, d, a, b, bytes/2)
		}
		return nil
	}
	plain := func(n int) error {
		d, a, b := vectors()
		to, x, y := unsafe.Slice((*dtype.BFloat16)(d), bytes/2), unsafe.Slice((*dtype.BFloat16)(a), bytes/2), unsafe.Slice((*dtype.BFloat16)(b), bytes/2)
		for range n {
			for i := range to {
				to[i] = dtype.BF16(x[i].Float32() + y[i].Float32())
			}
		}
		return nil
	}
	return bench{name: "BFloat16 d = a + b, " + size(bytes), ours: loop(ours), rivals: against("Go loop", loop(plain)), wanted: plainWanted}
}
