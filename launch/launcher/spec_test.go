package launcher

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestSpecCheck(t *testing.T) {
	ok := Spec{N: 2, Argv: []string{"x"}, Bind: BindCores, Env: []string{"A=b", "GOSHMEM_TIMEOUT=1s", "MASTER_PORT=1"}}
	if err := ok.Check(); err != nil {
		t.Errorf("a right Spec: %v", err)
	}
	for want, change := range map[string]func(*Spec){
		"is 0: at least 1":            func(s *Spec) { s.N = 0 },
		"is -1: at least 1":           func(s *Spec) { s.N = -1 },
		"at most 1024 processes":      func(s *Spec) { s.N = 1025 },
		"no program":                  func(s *Spec) { s.Argv = nil },
		`unknown binding "socket"`:    func(s *Spec) { s.Bind = "socket" },
		"negative":                    func(s *Spec) { s.Timeout = -time.Second },
		`"NOVALUE": want NAME=value`:  func(s *Spec) { s.Env = []string{"NOVALUE"} },
		`"=x": want NAME=value`:       func(s *Spec) { s.Env = []string{"=x"} },
		"RANK: the launcher sets":     func(s *Spec) { s.Env = []string{"RANK=1"} },
		"unknown variable GOSHMEM_HO": func(s *Spec) { s.Env = []string{"GOSHMEM_HO=1"} },
	} {
		s := ok
		change(&s)
		err := s.Check()
		mustCode(t, err, StatusUsage)
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q lacks %q", err, want)
		}
	}
}

func TestOverride(t *testing.T) {
	got := override([]string{"A=1", "B=2", "A=3"}, []string{"C=4", "B=5", "C=6"})
	if want := []string{"A=3", "B=5", "C=6"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestRankList(t *testing.T) {
	for want, ranks := range map[string][]int{
		"rank 3": {3}, "ranks 0-1": {0, 1}, "ranks 0, 2-5, 9": {0, 2, 3, 4, 5, 9},
	} {
		if got := RankList(ranks); got != want {
			t.Errorf("%v: %q, want %q", ranks, got, want)
		}
	}
}

func TestDryRun(t *testing.T) {
	var b strings.Builder
	err := DryRun(&b, Spec{
		N: 2, Argv: []string{"./ring", "-v", "two words", "it's", ""}, Dir: "/work dir", Env: []string{"A=x", "MASTER_ADDR=10.1.1.1"},
		Prefix: func(r int) string { return "[box " + string(rune('0'+r)) + "] " },
	})
	if err != nil {
		t.Fatal(err)
	}
	block := `[box 0]
  env   GOSHMEM_RANK=0
  env   GOSHMEM_SIZE=2
  env   GOSHMEM_LOCAL_RANK=0
  env   GOSHMEM_LOCAL_SIZE=2
  env   GOSHMEM_RDZV=unix:@goshmem-<random>
  env   GOSHMEM_TOKEN=<random>
  env   RANK=0
  env   WORLD_SIZE=2
  env   LOCAL_RANK=0
  env   LOCAL_WORLD_SIZE=2
  env   MASTER_ADDR=10.1.1.1
  env   MASTER_PORT=<free port>
  env   A=x
  dir   /work dir
  run   ./ring -v 'two words' 'it'\''s' ''
`
	second := strings.NewReplacer("box 0", "box 1", "RANK=0", "RANK=1").Replace(block)
	if b.String() != block+second {
		t.Errorf("have\n%swant\n%s", b.String(), block+second)
	}
	mustCode(t, DryRun(&b, Spec{N: 0}), StatusUsage)
}
