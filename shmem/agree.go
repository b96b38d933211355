package shmem

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goshmem/goshmem/internal/engine"
)

// agree meets the others with mine, or with a refusal, and returns an error if
// anybody refuses or differs.
func (w *World) agree(ctx context.Context, call engine.Call, mine engine.Words, refusal error, describe func(engine.Words) string) error {
	all, err := w.world.propose(ctx, call, mine, refusal)
	if err != nil {
		return err
	}
	return differ(all, call, describe)
}

// propose gathers the words of all members, and returns why one of them refuses.
// After a refusal they meet once more, so that everybody has read the reason before
// its writer can write another.
func (t *Team) propose(ctx context.Context, call engine.Call, mine engine.Words, refusal error) ([]engine.Words, error) {
	if refusal != nil {
		t.w.heap.Note(refusal.Error())
		mine[wordRefuse] |= refuses
		if errors.Is(refusal, ErrNoMemory) {
			mine[wordRefuse] |= lacking
		}
	}
	all, err := t.gather(ctx, call, mine)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(words engine.Words) bool { return words[wordRefuse]&refuses != 0 })
	if i < 0 {
		return all, nil
	}
	reason := t.w.heap.Progress(t.members[i]).Note
	if err := t.gate.Meet(orBackground(ctx), call); err != nil {
		return nil, err
	}
	if refusal != nil {
		return all, refusal
	}
	return all, problem(ErrMismatch, "PE %d refused %v (%s): %s", t.members[i], call, call.Site, reason)
}

// differ returns an error that groups the PEs by what they asked, nil if all
// asked the same. The smallest group comes first: it is the likelier culprit.
func differ(all []engine.Words, call engine.Call, describe func(engine.Words) string) error {
	groups := map[engine.Words][]int{}
	var order []engine.Words
	for pe, words := range all {
		words[wordRefuse] = 0
		if groups[words] == nil {
			order = append(order, words)
		}
		groups[words] = append(groups[words], pe)
	}
	if len(order) == 1 {
		return nil
	}
	slices.SortStableFunc(order, func(a, b engine.Words) int { return cmp.Compare(len(groups[a]), len(groups[b])) })
	var parts []string
	for _, words := range order {
		pes := groups[words]
		parts = append(parts, fmt.Sprintf("%s %s asked %s", nouns(len(pes), "PE"), engine.Ranges(pes), describe(words)))
	}
	text := strings.Join(parts, ", ")
	if describe(order[0]) == describe(order[1]) {
		text += " of another element type"
	}
	if call.Site == "" {
		return problem(ErrMismatch, "%s (%v)", text, call)
	}
	return problem(ErrMismatch, "%s (%v, %s)", text, call, call.Site)
}

// nouns is the noun for n of something.
func nouns(n int, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}

// refuse takes part in a collective of the world that this PE cannot do, so that
// nobody waits for it.
func (w *World) refuse(ctx context.Context, op string, kind engine.Kind, refusal error) error {
	if w == nil {
		return noWorld(op)
	}
	t := w.world
	if err := t.enter(ctx); err != nil {
		return fail(w, op, noPeer, err)
	}
	defer t.exit()
	return fail(w, op, noPeer, w.agree(ctx, t.call(kind, engine.Site()), engine.Words{}, refusal, nil))
}
