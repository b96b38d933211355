package engines

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/machine"
)

// Choice is the engine of a world.
type Choice struct {
	Engine    engine.Engine
	Reason    string // why this one
	LocalRank int    // of this PE among those of its machine
	Machines  []int  // of every PE, as engine.Job has them
}

// Choose returns the engine that all PEs of a job have asked for, or the best of all that
// can run on every one of them if name is empty, and why. An engine that was asked for and
// cannot run is an error: nothing falls back in silence. All PEs get the same answer.
// Collective over the job.
func Choose(ctx context.Context, name string, all []engine.Engine, job engine.Job) (Choice, error) {
	mine, err := voteFor(name, all)
	if err != nil {
		return Choice{}, err
	}
	votes, err := gather(ctx, job, mine)
	if err != nil {
		return Choice{}, err
	}
	i, why, err := decide(votes, job.Rank, all)
	if err != nil {
		return Choice{}, Refusal{err}
	}
	where := machines(votes)
	local := 0
	for _, m := range where[:job.Rank] {
		if m == where[job.Rank] {
			local++
		}
	}
	return Choice{all[i], why, local, where}, nil
}

// machines numbers those of all PEs.
func machines(votes []vote) []int {
	var ids []string
	for _, v := range votes {
		ids = append(ids, v.machine)
	}
	return machine.Number(ids)
}

// Refusal is the error of what was asked for and cannot be.
type Refusal struct{ error }

// vote is what a PE tells the others.
type vote struct {
	machine, asked string
	verdicts       []engine.Verdict // of all engines, in their order
}

// voteFor asks the engines. One that is asked for by name and can run is enough.
func voteFor(name string, all []engine.Engine) (vote, error) {
	here, err := machine.ID()
	v := vote{machine: here, asked: name}
	found := false
	for _, e := range all {
		if found {
			v.verdicts = append(v.verdicts, engine.Verdict{Reason: "not asked for"})
			continue
		}
		verdict := ask(e, name)
		_, near := e.(engine.Near) // may turn out not to do
		found = verdict.OK && e.Name() == name && !near
		v.verdicts = append(v.verdicts, verdict)
	}
	return v, err
}

// ask returns the verdict of an engine. One that should be asked for by name and is not
// is left in peace: to find out whether it can run it would load libraries.
func ask(e engine.Engine, name string) engine.Verdict {
	if r, ok := e.(engine.Reluctant); ok && e.Name() != name {
		if why := r.Reluctant(); why != "" {
			return engine.Verdict{Reason: why}
		}
	}
	return e.Probe()
}

// ballot is how many bytes a vote has on its way, and most how many of a reason are kept.
const (
	ballot = 2048
	most   = 200
)

// pack writes a vote as lines.
func (v vote) pack() []byte {
	lines := []string{v.machine, v.asked}
	for _, verdict := range v.verdicts {
		mark := "-"
		if verdict.OK {
			mark = "+"
		}
		reason := strings.ReplaceAll(verdict.Reason, "\n", " ")
		lines = append(lines, mark+reason[:min(most, len(reason))])
	}
	buf := make([]byte, ballot)
	copy(buf, strings.Join(lines, "\n")+"\n")
	return buf
}

// unpack reads what pack has written, of n engines.
func unpack(buf []byte, n int) (vote, error) {
	lines := strings.Split(string(buf), "\n")
	if len(lines) != n+3 {
		return vote{}, errors.New("a PE has other engines than this one: all must run the same program")
	}
	v := vote{machine: lines[0], asked: lines[1]}
	for _, line := range lines[2 : n+2] {
		v.verdicts = append(v.verdicts, engine.Verdict{OK: strings.HasPrefix(line, "+"), Reason: line[1:]})
	}
	return v, nil
}

// gather returns the votes of all PEs.
func gather(ctx context.Context, job engine.Job, mine vote) ([]vote, error) {
	votes := make([]vote, job.Size)
	for pe := range votes {
		buf := mine.pack()
		if job.Size > 1 {
			if err := job.Exchange.Broadcast(ctx, buf, pe); err != nil {
				return nil, err
			}
		}
		var err error
		if votes[pe], err = unpack(buf, len(mine.verdicts)); err != nil {
			return nil, fmt.Errorf("PE %d: %w", pe, err)
		}
	}
	return votes, nil
}

// decide returns the number of the engine that all votes are for, and why it is that one.
func decide(votes []vote, rank int, all []engine.Engine) (int, string, error) {
	name := votes[0].asked
	if i := slices.IndexFunc(votes, func(v vote) bool { return v.asked != name }); i >= 0 {
		return 0, "", fmt.Errorf("PE 0 asks for %s, PE %d for %s: all must ask for the same", engineNamed(name), i, engineNamed(votes[i].asked))
	}
	var can, cannot []string
	for i, e := range all {
		why := against(votes, i)
		if near, ok := e.(engine.Near); ok && why == "" {
			why = far(votes, near)
		}
		switch {
		case why == "" && (name == "" || name == e.Name()):
			return i, reason(name, votes[rank].verdicts[i].Reason, cannot), nil
		case name == e.Name():
			cannot = append([]string{why}, cannot...)
		case why == "":
			can = append(can, e.Name())
		default:
			cannot = append(cannot, e.Name()+": "+why)
		}
	}
	if name != "" && !slices.ContainsFunc(all, func(e engine.Engine) bool { return e.Name() == name }) {
		cannot = []string{"there is no such engine"}
	}
	return 0, "", none(name, can, cannot)
}

func engineNamed(name string) string {
	if name == "" {
		return "no engine by name"
	}
	return "engine " + name
}

// far is why an engine for one machine cannot run; "" if there is only one.
func far(votes []vote, e engine.Near) string {
	var away []int
	for pe, m := range machines(votes) {
		if m != 0 {
			away = append(away, pe)
		}
	}
	if len(away) == 0 {
		return ""
	}
	host, _, _ := strings.Cut(votes[away[0]].machine, " ")
	return fmt.Sprintf("%s on another machine than PE 0 (PE %d on host %s): %s", engine.PEs(away), away[0], host, e.Near())
}

// against is why an engine cannot run on all PEs; "" if it can.
func against(votes []vote, i int) string {
	pes := map[string][]int{}
	var reasons []string
	for pe, v := range votes {
		if why := v.verdicts[i].Reason; !v.verdicts[i].OK {
			if pes[why] == nil {
				reasons = append(reasons, why)
			}
			pes[why] = append(pes[why], pe)
		}
	}
	if len(reasons) == 1 && len(pes[reasons[0]]) == len(votes) {
		return reasons[0]
	}
	for k, why := range reasons {
		reasons[k] = fmt.Sprintf("%s (PE %s)", why, engine.Ranges(pes[why]))
	}
	return strings.Join(reasons, ", ")
}

// none is the error of a job that no engine can run.
func none(name string, can, cannot []string) error {
	what := "no engine can run here"
	if name != "" {
		what = fmt.Sprintf("engine %s was asked for but cannot run", name)
	}
	err := fmt.Errorf("%s: %s", what, strings.Join(cannot, "; "))
	if len(can) > 0 {
		err = fmt.Errorf("%w; engines that can: %s", err, strings.Join(can, ", "))
	}
	return err
}

func reason(asked, why string, cannot []string) string {
	if asked != "" {
		return "asked for; " + why
	}
	if len(cannot) == 0 {
		return "best that can run; " + why
	}
	return "best that can run; " + why + " (" + strings.Join(cannot, "; ") + ")"
}
