package engines

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/reach"
)

// Reach tells libraries, by variables that the user has not set, by which network
// interface all other machines of a job reach this one. It does nothing where there is one
// machine. None says why there is no such interface, which is no error. Collective over
// the job; what it may take is bounded to some seconds.
func Reach(ctx context.Context, job engine.Job) (none string, err error) {
	if !job.Several() {
		return "", nil
	}
	p := reach.Party{Exchange: job.Exchange, Rank: job.Rank, Node: job.Machines[job.Rank]}
	for pe, m := range job.Machines {
		if m == len(p.Speakers) {
			p.Speakers = append(p.Speakers, pe)
		}
	}
	found, err := reach.Measure(ctx, p)
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
