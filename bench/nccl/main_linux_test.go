package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestMain has this binary be a rank when it is started as one.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == rankName {
		main()
		return
	}
	os.Exit(m.Run())
}

// TestHost measures a little on the host library, with two processes, and saves it.
func TestHost(t *testing.T) {
	t.Setenv("GOSHMEM_NCCL", "host")
	name := filepath.Join(t.TempDir(), "figures.json")
	var out, warn strings.Builder
	err := run(t.Context(), []string{"-visits", "1", "-largest", "64", "-calls", "2", "-rounds", "1", "-json", name}, &out, &warn)
	if err != nil {
		t.Fatalf("%v\n%s", err, warn.String())
	}
	for _, want := range []string{"\n2 ranks, medians of 1 visits (1 were wanted)", "| all_reduce | 8 | call | blocking | ", "| broadcast | 64 | queue | nonblocking | ", "C's, blocking: not measured"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in %s", want, out.String())
		}
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct{ Rows []record }
	if err := json.Unmarshal(text, &doc); err != nil || len(doc.Rows) != 4*2*3*2 || doc.Rows[0].Samples[ours][0] <= 0 {
		t.Errorf("%d rows, %v", len(doc.Rows), err)
	}
}

// recorded is a contender that says the same in each visit, and how often it was started.
func recorded(name string, order *[]string, lines ...string) *contender {
	return &contender{name: name, start: func(context.Context, int) ([]byte, error) {
		*order = append(*order, name)
		return []byte(strings.Join(lines, "\n") + "\n"), nil
	}}
}

func figure(op string, bytes int, measure, mode string, us float64) string {
	return fmt.Sprintf(`{"op": %q, "bytes": %d, "mode": %q, "measure": %q, "us": %v}`, op, bytes, mode, measure, us)
}

// TestComparison: who is compared with whom, and what is wanted, over what contenders said.
func TestComparison(t *testing.T) {
	var order []string
	mine := []string{
		`{"program": "goshmem", "version": 22803, "ranks": 2}`,
		figure("all_reduce", 8, "call", "blocking", 14.6), figure("all_reduce", 8, "call", "nonblocking", 90),
		figure("all_reduce", 8, "enqueue", "blocking", 5), figure("all_reduce", 16<<20, "queue", "blocking", 101),
		figure("all_reduce", 16<<20, "queue", "nonblocking", 102),
	}
	c := []string{
		"NCCL version 2.28.3", `{"program": "C", "version": 22803, "ranks": 2}`,
		figure("all_reduce", 8, "call", "blocking", 14), figure("all_reduce", 8, "call", "nonblocking", 80), figure("all_reduce", 8, "enqueue", "blocking", 4),
	}
	torch := []string{
		`{"program": "PyTorch 2.11", "version": 22809, "ranks": 2}`,
		figure("all_reduce", 8, "call", "blocking", 20), figure("all_reduce", 16<<20, "queue", "blocking", 100.5),
	}
	o := options{visits: 3, within: time.Hour}
	var warn, out strings.Builder
	f := o.visit(t.Context(), []*contender{recorded(ours, &order, mine...), recorded(inC, &order, c...), recorded(pyTorch, &order, torch...)}, &warn)
	if got := strings.Join(order, " "); got != "goshmem C PyTorch PyTorch C goshmem goshmem C PyTorch" {
		t.Errorf("the order is %s", got)
	}
	if err := f.write(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"2 ranks, medians of 3 visits (3 were wanted), NCCL map[C:22803 PyTorch:22809 goshmem:22803]",
		"| all_reduce | 8 | call | blocking | 14.60 | 14.00 | 1.04 | 20.00 | 0.73 |  | yes |",
		"| all_reduce | 8 | call | nonblocking | 90.00 | 80.00 | 1.12 | 20.00 | 4.50 |  | NO |",
		"| all_reduce | 8 | enqueue | blocking | 5.00 | 4.00 | 1.25 |  |  |  |  |",
		"| all_reduce | 16777216 | queue | blocking | 101.00 |  |  | 100.50 | 1.00 | 166.11 | yes |",
		"| all_reduce | 16777216 | queue | nonblocking | 102.00 |  |  | 100.50 | 1.01 | 164.48 | NO |",
		"at most 1.05 of C's, nonblocking: 0 of 1 rows; geometric mean of times 1.125, worst 1.125 (all_reduce of 8 bytes, call)",
		"goshmem, call up to 64 KiB: 14.60 us blocking, 90.00 us nonblocking (medians of 1 rows), geometric mean of the ratios 6.16",
		"PyTorch has NCCL 22809, goshmem has 22803: these are not to be compared",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in %s", want, out.String())
		}
	}
	if err := f.verdict(); !errors.Is(err, errMissed) || status(err) != 3 || !strings.Contains(err.Error(), "2 of the rows") {
		t.Errorf("the verdict is %v", err)
	}
	for row, list := range f.Samples[ours] {
		if row.Mode == "nonblocking" {
			list[0], list[1] = 1, 1 // of three: the median
		}
	}
	if err := f.verdict(); err != nil {
		t.Errorf("all is met, and the verdict is %v", err)
	}
}

// TestLeftOut: a contender that fails, or writes what is no figure, is left out and named;
// what is wanted beside it is missed.
func TestLeftOut(t *testing.T) {
	var order []string
	for says, out := range map[string]string{
		"nothing of ours": "NCCL version 2.28.3",
		"no JSON":         "{what is this}",
		"no figure":       `{"op": "all_reduce", "bytes": 8}`,
		"nothing but who": `{"program": "C", "version": 22803, "ranks": 2}`,
	} {
		f := &figures{}
		if err := f.add(inC, []byte(out+"\n")); err == nil || f.Samples != nil {
			t.Errorf("%s: %v", says, err)
		}
	}
	mine := recorded(ours, &order, `{"program": "goshmem", "version": 22803, "ranks": 2}`, figure("broadcast", 64, "queue", "blocking", 9))
	broken := &contender{name: inC, start: func(context.Context, int) ([]byte, error) { return nil, errors.New("it has no ears") }}
	var warn, out strings.Builder
	o := options{visits: 5, within: time.Hour}
	f := o.visit(t.Context(), []*contender{mine, broken}, &warn)
	if err := f.write(&out); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "left out: C: it has no ears") || len(f.Failed) != 1 || len(order) != 5 || !errors.Is(f.verdict(), errMissed) {
		t.Errorf("%v, %v\n%s", f.Failed, f.verdict(), out.String())
	}
	o.within = 0
	if f := o.visit(t.Context(), []*contender{mine}, &warn); f.Visits != 1 {
		t.Errorf("%d visits in no time", f.Visits)
	}
	if err := (&figures{}).verdict(); err == nil || status(err) != 1 {
		t.Errorf("nothing at all: %v", err)
	}
	if err := run(t.Context(), []string{"-visits", "0"}, &out, &warn); status(err) != 2 {
		t.Errorf("no visits: %v", err)
	}
}
