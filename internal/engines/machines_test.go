package engines

import (
	"slices"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/internal/engine"
)

// close is an engine for one machine.
type close struct{ named }

func (close) Near() string { return "use far" }

// TestMachines: PEs on several machines do not get an engine for one, and those who ask for
// it learn who is elsewhere and what can reach them.
func TestMachines(t *testing.T) {
	all := []engine.Engine{close{named{name: "close"}}, named{name: "far"}}
	ok := engine.Verdict{OK: true, Reason: "it is here"}
	ask := func(name string, hosts ...string) (int, string, error) {
		var votes []vote
		for _, h := range hosts {
			votes = append(votes, vote{machine: h, asked: name, verdicts: []engine.Verdict{ok, ok}})
		}
		if got := machines(votes); !slices.Equal(got, []int{0, len(slices.Compact(slices.Sorted(slices.Values(hosts)))) - 1, 0}) {
			t.Errorf("%v: machines %v", hosts, got)
		}
		return decide(votes, 0, all)
	}
	if i, _, err := ask("", "a boot 1", "a boot 1", "a boot 1"); err != nil || i != 0 {
		t.Errorf("one machine: engine %d, %v", i, err)
	}
	if i, why, err := ask("", "a boot 1", "b boot 2", "a boot 1"); err != nil || i != 1 || !strings.Contains(why, "close: PE 1 is on another machine than PE 0 (PE 1 on host b): use far") {
		t.Errorf("two machines: engine %d, %q, %v", i, why, err)
	}
	const want = "engine close was asked for but cannot run: PE 1 is on another machine than PE 0 (PE 1 on host b): use far; engines that can: far"
	if _, _, err := ask("close", "a boot 1", "b boot 2", "a boot 1"); err == nil || err.Error() != want {
		t.Errorf("two machines, asked for: %v", err)
	}
}
