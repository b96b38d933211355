package shmem

import (
	"context"
	"slices"

	"github.com/goshmem/goshmem/internal/engine"
)

// openGroups makes the groups of the world's own teams, if there is a device. The shared
// team is everybody if everybody reaches everybody's memory; else each PE is alone in it,
// since who reaches whom need not divide the PEs into teams.
func (w *World) openGroups(ctx context.Context, call engine.Call) error {
	if w.device == nil {
		return nil
	}
	w.world.group = w.device.World()
	all, err := w.world.gather(ctx, call, engine.Words{w.reached()})
	if err != nil {
		return err
	}
	if slices.ContainsFunc(all, func(words engine.Words) bool { return words[0] < uint64(len(all)) }) {
		w.shared = w.newTeam(sharedSlot, []int{w.rank}, 0, TeamConfig{})
		return nil
	}
	w.shared.group, err = w.device.NewGroup(ctx, w.world.group, sharedSlot, 0, 1, len(all))
	return err
}

// reached is how many PEs this one's device reaches.
func (w *World) reached() (n uint64) {
	for pe := range w.bases {
		if w.device.Address(pe) != 0 {
			n++
		}
	}
	return n
}

// makeGroups makes the groups of the teams that a split gives, and shares what went wrong.
func (t *Team) makeGroups(ctx context.Context, parts []portion, a *agreement, call engine.Call) error {
	if t.group == nil {
		return nil
	}
	var failed error
	for _, p := range parts {
		g, err := t.w.device.NewGroup(orBackground(ctx), t.group, a.slots[p.slot], p.start, p.stride, p.size)
		if err != nil {
			failed = err
			break
		}
		if g != nil {
			a.groups[p.slot] = g
		}
	}
	_, err := t.propose(ctx, call, engine.Words{}, failed)
	if err != nil {
		t.w.yield(a.all)
	}
	return err
}

// endGroup ends what a team has on a device, for all members.
func (t *Team) endGroup(ctx context.Context) error {
	if t.group == nil {
		return nil
	}
	err := t.group.Close(orBackground(ctx))
	d := t.w.device
	if err == nil && t.stream != 0 {
		err = d.driver.DestroyStream(d.number, t.stream)
	}
	if err == nil && t.order.event != 0 {
		err = d.driver.DestroyEvent(d.number, t.order.event)
	}
	return err
}
