// Command programs runs the programs of examples whose kind others measure too, several
// times in turns, and prints the rates that they find:
//
//	go run ./bench/programs -save docs/results/2026-11-programs.md
//
// Each run checks its own result; one that is wrong ends everything.
package main

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goshmem/goshmem/launch/launcher"
)

// program is one row.
type program struct {
	name string
	args []string
	note string // what others found, where and when
}

// rounds is how often each program runs.
const rounds = 7

// programs are the rows. The rates of others are of the Parallel Research Kernels in C, as
// MPI programs, on a machine of the same kind with the same parameters on another day.
func programs() []program {
	return []program{
		{"stencil", []string{"-n", "2000", "-iterations", "100"}, "MFlop/s: Open MPI 19,600 to 23,500; MPICH 23,300 to 24,000; OSHMEM 14,700 to 16,900"},
		{"synch_p2p", []string{"-m", "2000", "-n", "2000", "-iterations", "50"}, "MFlop/s: Open MPI 4,020 to 4,070; MPICH 3,500 to 3,850; OSHMEM 790 to 4,080"},
		{"transpose", []string{"-n", "2000", "-iterations", "30"}, "MB/s: Open MPI 8,400 to 10,700; MPICH 9,000 to 10,300; OSHMEM 4,800 to 11,700"},
		{"isx", []string{"-keys", "1048576"}, ""},
		{"gups", []string{"-words", "1048576"}, ""},
		{"training", []string{"-epochs", "400"}, ""},
	}
}

func main() {
	save := flag.String("save", "", "write the page to `FILE`")
	pes := flag.Int("n", 2, "number of PEs")
	flag.Parse()
	err := launcher.Until(context.Background(), launcher.StopSignals(), func(ctx context.Context) error { return run(ctx, *pes, *save) })
	if err != nil {
		fmt.Fprintln(os.Stderr, "programs:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, pes int, save string) error {
	scratch, err := os.MkdirTemp("", "goshmem-programs")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	before := load()
	results := make([]result, len(programs()))
	for round := range rounds {
		for i, p := range programs() {
			if round == 0 {
				if results[i].path, err = launcher.Build(ctx, scratch, "./examples/"+p.name); err != nil {
					return err
				}
			}
			if err := results[i].add(ctx, p, pes); err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
			fmt.Fprintf(os.Stderr, "%-10s %d of %d: %.4g %s\n", p.name, round+1, rounds, results[i].rates[round], results[i].unit)
		}
	}
	text := page(results, pes, before)
	if save == "" {
		_, err = io.WriteString(os.Stdout, text)
		return err
	}
	return os.WriteFile(save, []byte(text), 0o644)
}

// load is the mean number of processes that wanted a core in the last minutes.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return strings.Join(strings.Fields(string(text))[:3], " ")
}

// result is what was found of a program.
type result struct {
	path  string
	rates []float64
	unit  string
}

// rate is how the programs print what they have found.
var rate = regexp.MustCompile(`([0-9.]+) (MFlop/s|MB/s|Mkeys/s|GUP/s|points/s)`)

// add runs the program once more.
func (r *result) add(ctx context.Context, p program, pes int) error {
	var out bytes.Buffer
	if _, err := launcher.Run(ctx, launcher.Spec{N: pes, Argv: append([]string{r.path}, p.args...), Stdout: &out, Stderr: &out}); err != nil {
		return fmt.Errorf("%w\n%s", err, out.String())
	}
	found := rate.FindStringSubmatch(out.String())
	if found == nil {
		return fmt.Errorf("it printed no rate:\n%s", out.String())
	}
	value, err := strconv.ParseFloat(found[1], 64)
	r.rates, r.unit = append(r.rates, value), found[2]
	return err
}

func page(results []result, pes int, before string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# Programs

The programs of examples whose kind others measure too, with %d PEs as processes, taken by

    go run ./bench/programs -n %d -save FILE

%d runs of each, in turns; every run has checked its own result. Load average before:
%s. The last column is not of this run: it says what the Parallel Research Kernels
in C (gcc -O3 -march=native, 2 processes) gave with the same parameters on a machine of the
same kind on another day, from the lowest of three rounds to the highest. Times of two
days are no ratio; the column says where the field stands. The loops of ours are plain Go,
which does not vectorise them.

| program | arguments | median | lowest to highest | others |
|---|---|---|---|---|
`, pes, pes, rounds, before)
	for i, p := range programs() {
		s := slices.SortedFunc(slices.Values(results[i].rates), cmp.Compare[float64])
		fmt.Fprintf(&b, "| %s | `%s` | %.4g %s | %.4g to %.4g | %s |\n", p.name, strings.Join(p.args, " "), s[len(s)/2], results[i].unit, s[0], s[len(s)-1], p.note)
	}
	return b.String()
}
