package ncclperf

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Options are those of nccl-tests that are used most, with its defaults in [Defaults].
type Options struct {
	Test      string        // which collective, by nccl-tests' name: all_reduce
	GPUs      int           // -g: ranks in this process, each with a device; 1 under a launcher
	MinBytes  int64         // -b
	MaxBytes  int64         // -e
	StepBytes int64         // -i, where Factor is 0
	Factor    int64         // -f
	Iters     int           // -n
	Warmup    int           // -w
	Aggregate int           // -m: calls in one group
	Check     int           // -c: rounds of checking
	Op        string        // -o
	Type      string        // -d
	Root      string        // -r
	Blocking  bool          // -z: wait for every call
	Graph     int           // -G: launches of a graph of Iters calls; 0: none
	CPUTime   bool          // -C: what the host needs to enqueue
	Average   int           // -a: 0 rank 0's time, 1 average, 2 least, 3 most
	Register  int           // -R: 1 registers the buffers, 2 as windows
	Blocks    bool          // communicators that block
	Timeout   time.Duration // -T: of each wait; 0: that of GOSHMEM_TIMEOUT
}

// Defaults are what nccl-tests does without options.
func Defaults() Options {
	return Options{Test: "all_reduce", GPUs: 1, MinBytes: 32 << 20, MaxBytes: 32 << 20, StepBytes: 1 << 20,
		Iters: 20, Warmup: 1, Aggregate: 1, Check: 1, Op: "sum", Type: "float", Root: "0", Average: 1}
}

// Valid says what is wrong with the options.
func (o Options) Valid() error {
	_, known := all()[o.Test]
	switch {
	case !known:
		return fmt.Errorf("there is no test %q: there are %s", o.Test, strings.Join(Tests(), ", "))
	case o.MinBytes < 0 || o.MaxBytes < o.MinBytes:
		return fmt.Errorf("sizes from %d to %d bytes: the first must not be larger", o.MinBytes, o.MaxBytes)
	case o.Factor < 0 || o.Factor == 1:
		return fmt.Errorf("a factor of %d: use 2 or more", o.Factor)
	case o.Factor == 0 && o.StepBytes <= 0 && o.MaxBytes > o.MinBytes:
		return fmt.Errorf("steps of %d bytes do not get from %d to %d", o.StepBytes, o.MinBytes, o.MaxBytes)
	case o.GPUs < 1 || o.Iters < 1 || o.Aggregate < 1:
		return fmt.Errorf("%d ranks, %d iterations, groups of %d calls: at least 1 of each is needed", o.GPUs, o.Iters, o.Aggregate)
	case o.Warmup < 0 || o.Check < 0 || o.Graph < 0:
		return fmt.Errorf("%d warm-up iterations, %d checks, %d graph launches: none can be negative", o.Warmup, o.Check, o.Graph)
	case o.Average < 0 || o.Average > 3 || o.Register < 0 || o.Register > 2:
		return fmt.Errorf("-a %d -R %d: -a is 0 to 3, -R is 0 to 2", o.Average, o.Register)
	case o.Graph > 0 && o.Blocking:
		return fmt.Errorf("calls in a graph cannot be waited for one by one: use -G or -z")
	}
	return o.validNames()
}

func (o Options) validNames() error {
	if _, err := pick(o.Type, typeNames()); err != nil {
		return fmt.Errorf("-d: %w", err)
	}
	if _, err := pick(o.Op, opNames()); err != nil {
		return fmt.Errorf("-o: %w", err)
	}
	if n, err := strconv.Atoi(o.Root); o.Root != "all" && (err != nil || n < 0) {
		return fmt.Errorf("-r: root %q is neither a rank nor all", o.Root)
	}
	return nil
}

// pick is the names that one stands for.
func pick(name string, all []string) ([]string, error) {
	switch {
	case name == "all":
		return all, nil
	case slices.Contains(all, name):
		return []string{name}, nil
	}
	return nil, fmt.Errorf("%q is none of %s, all", name, strings.Join(all, ", "))
}

// sizes are the total bytes to measure.
func (o Options) sizes() (list []int64) {
	for n := o.MinBytes; n <= o.MaxBytes; {
		list = append(list, n)
		next := n + o.StepBytes
		if o.Factor > 0 {
			next = max(n, 1) * o.Factor
		}
		if n == o.MaxBytes || next <= n {
			break
		}
		n = next
	}
	return list
}

// roots are the ranks that take their turn as root of n.
func (o Options) roots(n int) ([]int, error) {
	if o.Root != "all" {
		r, err := strconv.Atoi(o.Root)
		if err == nil && r >= n {
			err = fmt.Errorf("root %d: there are %d ranks", r, n)
		}
		return []int{r}, err
	}
	var list []int
	for r := range n {
		list = append(list, r)
	}
	return list, nil
}

// ParseBytes reads a size such as 8, 64K, 128M or 1G, where K is 1024.
func ParseBytes(text string) (int64, error) {
	digits := strings.TrimRight(strings.ToUpper(text), "B")
	shift := 0
	if at := strings.IndexAny(digits, "KMG"); at >= 0 && at == len(digits)-1 {
		shift = 10 * (1 + strings.IndexByte("KMG", digits[at]))
		digits = digits[:at]
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64>>shift {
		return 0, fmt.Errorf("%q is no size: write 8, 64K, 128M or 1G", text)
	}
	return n << shift, nil
}
