package reach

import (
	"context"
	"fmt"
	"os"
	"strings"
)

// Tell tells libraries of this process, by variables that the user has not set, by which
// network interface all other machines of a job reach this one. Machines has the number
// of that of every rank, as package machine counts them; it does nothing where there is
// one. None says why there is no such interface, which is no error. Collective over the
// job; what it may take is bounded to some seconds.
func Tell(ctx context.Context, e Exchange, rank int, machines []int) (none string, err error) {
	p := Party{Exchange: e, Rank: rank}
	for r, m := range machines {
		if m == len(p.Speakers) {
			p.Speakers = append(p.Speakers, r)
		}
	}
	if len(p.Speakers) < 2 {
		return "", nil
	}
	p.Node = machines[rank]
	found, err := Measure(ctx, p)
	if err != nil {
		return "", fmt.Errorf("find the network of this machine: %w", err)
	}
	for _, line := range found.Variables(os.Environ()) {
		name, value, _ := strings.Cut(line, "=")
		if err := os.Setenv(name, value); err != nil {
			return "", fmt.Errorf("tell libraries of the network: %w", err)
		}
	}
	return found.Why, nil
}
