package perf

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goshmem/goshmem/internal/env"
	"github.com/goshmem/goshmem/internal/perf/loops"
	"github.com/goshmem/goshmem/launch/launcher"
)

const loopsPackage = "github.com/goshmem/goshmem/internal/perf/programs/loops"

// Modes measures what each mode of a world costs: checked mode, weak mode, faults that do
// not happen, the race detector and race mode, each against a world without.
func Modes(ctx context.Context, o Options) (Record, error) {
	return record(ctx, "modes", o, []string{
		fmt.Sprintf("two goroutine PEs in one process; transfers of %d bytes, with a quiet after every %d", loops.Bytes, loops.Slots),
		"each side of a sample is a process of its own, which does a tenth of its operations as warm-up; its start and its end are not in the figure",
		"weak mode: the seeds 1 to 7 by turns; how late things are depends on the seed",
		"faults: one of the PE that does it, then one of the other PE, that wait for an operation which never comes",
		"race detector: a build with -race and GOSHMEM_RACE=0; race mode: the same build, against that",
		"wherever PEs wait for each other they share what cores there are: figures of a busy machine mean nothing",
	}, (*measurement).modes)
}

// mode is how one side runs, and what it is compared with.
type mode struct {
	name, peer  string
	race        bool // the build with -race is meant, on both sides if peer is set
	environment []string
}

const (
	plainWorld = "no mode"
	raceBuild  = "race detector"
)

func modes() []mode {
	faults := func(pe int) []string { return []string{fmt.Sprintf("%s=fail pe=%d op=lock n=1000000", env.Fault, pe)} }
	return []mode{
		{"checked", plainWorld, false, []string{env.Checked + "=1"}},
		{"weak", plainWorld, false, []string{env.Weak + "="}},
		{"faults", plainWorld, false, faults(0)},
		{"faults of another PE", plainWorld, false, faults(1)},
		{raceBuild, plainWorld, true, []string{env.Race + "=0"}},
		{"race mode", raceBuild, true, []string{env.Race + "=1"}},
	}
}

// modes measures all modes with all loops.
func (m *measurement) modes(ctx context.Context, dir string) ([]Row, error) {
	plain := slices.Concat(m.Worker, []string{workLoops})
	if program, err := launcher.Build(ctx, dir, loopsPackage); err == nil {
		plain = []string{program}
	}
	race, missing := buildRace(ctx, dir)
	var benches []bench
	for _, mode := range modes() {
		for _, op := range m.loops {
			b := bench{name: op + ", " + mode.name}
			switch {
			case !mode.race:
				b.ours, b.rivals = mode.side(ctx, plain, op), against(plainWorld, mode.off(ctx, plain, op))
			case missing != "":
				b.ours, b.name, b.note = mode.off(ctx, plain, op), op+", no mode in place of "+mode.name, missing
			case mode.peer == plainWorld:
				b.ours, b.rivals = mode.side(ctx, race, op), against(plainWorld, mode.off(ctx, plain, op))
			default:
				b.ours, b.rivals = mode.side(ctx, race, op), against(raceBuild, mode.off(ctx, race, op))
			}
			benches = append(benches, b)
		}
	}
	return contest{rounds: m.Rounds, batch: m.Batch, cores: m.cores}.run(benches)
}

// buildRace builds the loops with the race detector; missing says why it cannot.
func buildRace(ctx context.Context, dir string) (program []string, missing string) {
	path := filepath.Join(dir, "loops-race")
	cmd := exec.CommandContext(ctx, "go", "build", "-race", "-o", path, loopsPackage)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1")
	if text, err := cmd.CombinedOutput(); err != nil {
		return nil, oneLine(fmt.Errorf("no build with -race: %w %s", err, text))
	}
	return []string{path}, ""
}

// side runs a program in the mode.
func (m mode) side(ctx context.Context, program []string, op string) side {
	calls := 0
	return func(n int) (time.Duration, error) {
		extra := slices.Clone(m.environment)
		for i, text := range extra {
			if text == env.Weak+"=" {
				extra[i] += strconv.Itoa(calls%7 + 1)
			}
		}
		calls++
		return timed(ctx, extra, slices.Concat(program, []string{op}), n)
	}
}

// off runs a program without a mode.
func (mode) off(ctx context.Context, program []string, op string) side {
	return func(n int) (time.Duration, error) { return timed(ctx, nil, slices.Concat(program, []string{op}), n) }
}

// timed runs a program that does something n times and prints the nanoseconds of one.
func timed(ctx context.Context, extra, argv []string, n int) (time.Duration, error) {
	cmd := exec.CommandContext(ctx, argv[0], append(slices.Clone(argv[1:]), strconv.Itoa(n))...)
	cmd.Env = append(os.Environ(), env.Checked+"=0", env.Weak+"=0", env.Fault+"=", env.Race+"=0")
	cmd.Env = append(cmd.Env, "GORACE=atexit_sleep_ms=0") // a race build would sleep for a second
	cmd.Env = append(cmd.Env, extra...)
	out, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("run %s with %q: %w", filepath.Base(argv[0]), extra, err)
	}
	ns, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
	return time.Duration(ns * float64(n)), err
}
