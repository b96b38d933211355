package ncclperf

import (
	"context"
	"strings"
	"testing"
)

// few are options for a quick measurement on the host library.
func few(test string, ranks int) Options {
	o := Defaults()
	o.Test, o.GPUs = test, ranks
	o.MinBytes, o.MaxBytes, o.Factor, o.Iters = 64, 1<<16, 32, 2
	return o
}

// TestRun: all collectives in both forms, with all elements right.
func TestRun(t *testing.T) {
	t.Setenv("GOSHMEM_NCCL", "host")
	for _, name := range Tests() {
		for _, ranks := range []int{1, 3} {
			o := few(name, ranks)
			o.Op, o.Root, o.Check = "all", "all", 1
			var b strings.Builder
			steps := 0
			r, err := Run(t.Context(), o, &b, func(done, all int) {
				if steps++; done != steps || done > all {
					t.Errorf("step %d of %d, want %d", done, all, steps)
				}
			})
			if err != nil {
				t.Errorf("%s: %v\n%s", name, err, b.String())
				continue
			}
			if r.Summary.Wrong != 0 || !r.Summary.Checked || len(r.Rows) != steps || len(r.Header.Ranks) != ranks {
				t.Errorf("%s on %d ranks:\n%s", name, ranks, b.String())
			}
			for _, row := range r.Rows {
				if row.OutOfPlace.Micros <= 0 || (row.InPlace != nil) != all()[name].inPlace {
					t.Errorf("%s: %+v", name, row)
				}
			}
		}
	}
}

// TestRunTypes: all types, and the ways of calling.
func TestRunTypes(t *testing.T) {
	t.Setenv("GOSHMEM_NCCL", "host")
	for says, change := range map[string]func(*Options){
		"all types":  func(o *Options) { o.Type, o.Op = "all", "all" },
		"groups":     func(o *Options) { o.Aggregate = 3 },
		"one by one": func(o *Options) { o.Blocking = true },
		"blocking":   func(o *Options) { o.Blocks = true },
		"graphs":     func(o *Options) { o.Graph = 2 },
		"enqueuing":  func(o *Options) { o.CPUTime, o.Average = true, 3 },
	} {
		o := few("all_reduce", 2)
		change(&o)
		var b strings.Builder
		r, err := Run(t.Context(), o, &b, nil)
		if err != nil || r.Summary.Wrong != 0 || !r.Summary.Checked {
			t.Errorf("%s: %v\n%s", says, err, b.String())
		}
	}
}

// TestWrongIsSeen: the check notices a rank that gives something else.
func TestWrongIsSeen(t *testing.T) {
	e := elements()[7]
	j := job{test: all()["all_reduce"], e: e, op: "sum", count: 3 * period}
	for _, p := range j.pieces("all_reduce", 1, 4) {
		b := make([]byte, p.count*e.size)
		p.pattern.fill(b, p.first)
		right := func(got, want float64) bool { return e.right(j.op, got, want) }
		if n := p.pattern.wrong(b, p.first, right); n != 0 {
			t.Errorf("%d elements of the right result are wrong", n)
		}
		e.put(b[2*period*e.size:], 77)
		e.put(b[5*e.size:], 78)
		if n := p.pattern.wrong(b, p.first, right); n != 2 {
			t.Errorf("%d elements are wrong, want 2", n)
		}
		if n := p.pattern.wrong(b[:100*e.size], p.first+1, right); n < 50 {
			t.Errorf("of elements at the wrong place %d of 100 are wrong", n)
		}
	}
}

// TestRegister: registered buffers and windows give the same.
func TestRegister(t *testing.T) {
	t.Setenv("GOSHMEM_NCCL", "host")
	for _, how := range []int{1, 2} {
		o := few("all_reduce", 2)
		o.Register = how
		r, err := Run(t.Context(), o, &strings.Builder{}, nil)
		if err != nil || r.Summary.Wrong != 0 || !r.Summary.Checked {
			t.Errorf("-R %d: %v, %+v", how, err, r.Summary)
		}
	}
}

// TestTimeout: a rank that is alone in its job ends.
func TestTimeout(t *testing.T) {
	t.Setenv("GOSHMEM_NCCL", "host")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, few("all_reduce", 2), &strings.Builder{}, nil); err == nil {
		t.Error("a run without time succeeds")
	}
}
