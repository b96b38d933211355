package shmem

import (
	"cmp"
	"fmt"
	"os"
	"strings"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/engines"
	"github.com/goshmem/goshmem/internal/env"
	"github.com/goshmem/goshmem/internal/fault"
)

// faulty is the mode of a world in which something goes wrong on purpose.
func faulty(o Options, h engine.Heap) (engine.Heap, error) {
	faults, err := o.faults()
	if err != nil || faults == nil {
		return h, err
	}
	node, err := o.nodeSize()
	if err != nil {
		return nil, err
	}
	if faults, err = fault.Settle(faults, h.NPEs(), node); err != nil {
		return nil, o.noFault(err)
	}
	again := replay(faults, h, os.Args)
	return engines.Faulty(h, faults, node, func(text string) { o.faultf(h, "goshmem: fault: %s; again: %s", text, again) }), nil
}

// faults settles option and environment; nil: nothing goes wrong.
func (o Options) faults() ([]fault.Fault, error) {
	text := cmp.Or(o.Fault, os.Getenv(env.Fault))
	if text == "" {
		return nil, nil
	}
	all, err := fault.Parse(text)
	if err != nil {
		return nil, o.noFault(err)
	}
	return all, nil
}

// noFault is the error of a text that no world can follow.
func (o Options) noFault(err error) error {
	name := env.Fault
	if o.Fault != "" {
		name = "Options.Fault"
	}
	return problem(ErrArgument, "%s: %v (go doc github.com/goshmem/goshmem/internal/fault)", name, err)
}

// faultf says what a fault does, where a process that is about to die has said it for sure.
func (o Options) faultf(h engine.Heap, format string, args ...any) {
	if o.Logf != nil && h.Progress(h.Rank()).Pid == 0 {
		o.Logf(format, args...)
		return
	}
	fmt.Fprintf(os.Stderr, format+"\n", args...)
}

// replay is the command that has the same faults happen again: this one, or for a world of
// processes the job of which it is a part.
func replay(faults []fault.Fault, h engine.Heap, argv []string) string {
	var texts []string
	for _, f := range faults {
		texts = append(texts, f.String())
	}
	words := []string{env.Fault + "=" + quote(strings.Join(texts, "; "))}
	for _, name := range []string{env.NodeSize, env.NodeTransport, env.HeapSize, env.Timeout, env.Checked} {
		if value := os.Getenv(name); value != "" {
			words = append(words, name+"="+quote(value))
		}
	}
	if h.Progress(h.Rank()).Pid != 0 && os.Getenv(env.TestCall) == "" {
		words = append(words, fmt.Sprintf("goshmem run -n %d", h.NPEs()))
		if program := os.Getenv(env.Program); program != "" { // what runs is removed when the job is over
			argv = append([]string{program}, argv[1:]...)
		}
	} else if strings.HasSuffix(argv[0], ".test") { // go test has built it, and removes it
		return strings.Join(append(words, testCommand(argv[1:])...), " ")
	}
	for _, arg := range argv {
		words = append(words, quote(arg))
	}
	return strings.Join(words, " ")
}

// testCommand is the go test command that runs a test binary with these arguments, but
// for those that it adds by itself.
func testCommand(args []string) []string {
	words := []string{"go", "test"}
	for _, arg := range args {
		name, ofTest := strings.CutPrefix(arg, "-test.")
		name, _, _ = strings.Cut(name, "=")
		switch {
		case !ofTest:
			words = append(words, quote(arg))
		case name != "testlogfile" && name != "paniconexit0" && name != "timeout":
			words = append(words, quote("-"+strings.TrimPrefix(arg, "-test.")))
		}
	}
	return words
}

// quote writes a word as a shell reads it.
func quote(word string) string {
	if word != "" && !strings.ContainsAny(word, " \t\n'\"\\$`;&|<>()*?[]#~{}!^") {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
