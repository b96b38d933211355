package perf

import (
	"slices"
	"strings"
	"testing"
)

func TestParseOrderReadsWhatStringWrites(t *testing.T) {
	for _, s := range slices.Concat(cases(2, false), cases(8, false), collectiveCases(4, false)) {
		s.order.N = 1 << 40
		got, err := ParseOrder(s.order.String())
		if err != nil || got != s.order {
			t.Errorf("%s: %+v, %v; want %+v", s.order, got, err, s.order)
		}
	}
}

func TestParseOrderRefuses(t *testing.T) {
	for line, why := range map[string]string{
		"":                                      "want: OP",
		"put 8 8 1":                             "want: OP",
		"put 8 8 1 1 1":                         "want: OP",
		"put 8 8 1 x":                           "not a number",
		"put 8 8 1 -1":                          "not a number",
		"put 8 8 1 +1":                          "not a number",
		"put 8 8 1 0":                           "positive",
		"put 8 8 0 1":                           "positive",
		"put 0 8 1 1":                           "SIZE",
		"put 12 24 1 1":                         "SIZE",
		"put 16 8 1 1":                          "AREA",
		"put 16 40 1 1":                         "AREA",
		"put 8 67108872 1 1":                    "AREA",
		"a_very_long_name 8 8 1 1":              "name",
		"put 8 8 1 1234567890123456789":         "18 digits",
		"put 8 8 1 " + strings.Repeat("0", 100): "want: OP",
	} {
		if o, err := ParseOrder(line); err == nil || !strings.Contains(err.Error(), strings.TrimPrefix(why, "want: ")) {
			t.Errorf("%q: %+v, %v; want an error with %q", line, o, err, why)
		}
	}
}

// Every row is told apart by its name and by what programs look for, and what is
// wanted is what was asked for.
func TestCases(t *testing.T) {
	names, keys := map[string]bool{}, map[Case]int{}
	for _, pes := range []int{2, 4, 8} {
		for _, s := range cases(pes, false) {
			if names[s.name()] {
				t.Errorf("two rows are named %q", s.name())
			}
			names[s.name()] = true
			keys[s.Case]++
			if s.order.Size != s.Size || s.order.Op != s.Op || s.PEs != pes || s.order.Every < 1 {
				t.Errorf("%s: order %s, case %+v", s.name(), s.order, s.Case)
			}
		}
	}
	for _, name := range []string{"put 64 B, hot", "get 16 MiB, rotating", "put 8 B, quiet after each, hot", "barrier_all, 8 PEs", "put 128 KiB, hot"} {
		if !names[name] {
			t.Errorf("there is no row %q among %v", name, names)
		}
	}
	if n := keys[Case{Op: OpPut, Size: 8, PEs: 2, Buffers: Hot}]; n != 2 {
		t.Errorf("%d rows of an 8-byte put, want that with one quiet and that with many", n)
	}
	if quick := len(cases(2, true)); quick >= len(cases(2, false)) {
		t.Errorf("%d rows when quick", quick)
	}
}

func TestCollectiveCases(t *testing.T) {
	names := map[string]bool{}
	for _, pes := range []int{2, 4} {
		for _, s := range collectiveCases(pes, false) {
			if names[s.name()] {
				t.Errorf("two rows are named %q", s.name())
			}
			names[s.name()] = true
			op, copied := strings.CutSuffix(s.order.Op, Copied)
			if op != s.Op || copied != (s.Buffers == Private) || collectiveAct(s.order.Op) < 0 || s.order.Size != s.Size || (s.wanted > 0) != (pes == 2) {
				t.Errorf("%s: order %s, case %+v", s.name(), s.order, s.Case)
			}
		}
	}
	for _, name := range []string{"broadcast 8 B, heap, 2 PEs", "alltoall 16 B, private, 2 PEs", "fcollect 32 B, heap, 4 PEs", "reducescatter 64 MiB, private, 4 PEs", "allreduce 32 KiB, heap, 2 PEs"} {
		if !names[name] {
			t.Errorf("there is no row %q among %v", name, names)
		}
	}
	if quick := len(collectiveCases(2, true)); quick >= len(collectiveCases(2, false)) {
		t.Errorf("%d rows when quick", quick)
	}
	for _, s := range libraryCases(2, false) {
		op, place := cutPlace(s.order.Op)
		if names[s.name()] || op != s.Op || place == "" || (place == OnDevice) != (s.Buffers == Device) || collectiveAct(s.order.Op) < 0 || (s.wanted > 0) != (s.Buffers == Device) {
			t.Errorf("%s: order %s, case %+v", s.name(), s.order, s.Case)
		}
		names[s.name()] = true
	}
	if !names["allreduce 1 KiB, device, 2 PEs"] || !names["alltoall 64 MiB, slices, 2 PEs"] || len(libraryCases(2, true)) != 20 {
		t.Errorf("rows of package nccl among %v", names)
	}
	o := CompareOptions{Collectives: true, Only: "8 B, heap"}
	if only := o.cases(2); len(only) != 2 {
		t.Errorf("rows with %q: %+v, want those of broadcast and allreduce", o.Only, only)
	}
	if a := collectiveAct(OpBarrier); a >= 0 {
		t.Errorf("a barrier is collective %d", a)
	}
}
