package shmem

import (
	"context"
	"slices"

	"github.com/goshmem/goshmem/internal/engine"
)

// CommContext orders and completes operations apart from all others of its PE. An
// array takes part in it through Via: what is put through that view is ordered by
// the context's Fence and completed by its Quiet, and not by those of the world,
// barriers included. PEs are numbered as in its team. OpenSHMEM: shmem_ctx_t.
type CommContext struct {
	t       *Team
	lane    *lane
	options ContextOptions
	site    string // where it was made
}

// ContextOptions are promises about the use of a context, from which an engine may
// gain speed. Checked mode holds the program to Serialized and Private. OpenSHMEM:
// the options SHMEM_CTX_SERIALIZED, SHMEM_CTX_PRIVATE and SHMEM_CTX_NOSTORE.
type ContextOptions struct {
	Serialized bool // no two goroutines use it at the same time
	Private    bool // only the goroutine that made it uses it
	NoStore    bool // its stores need neither order nor completion
}

// NewContext makes a context for all PEs. Local. OpenSHMEM: shmem_ctx_create.
func (w *World) NewContext(o ContextOptions) (*CommContext, error) {
	if w == nil {
		return nil, noWorld("new context")
	}
	return w.world.NewContext(o)
}

// NewContext makes a context for the members of the team, in the team's numbering.
// Local. OpenSHMEM: shmem_team_create_ctx.
func (t *Team) NewContext(o ContextOptions) (*CommContext, error) {
	if t == nil {
		return nil, fail(nil, "new context", noPeer, ErrNotMember)
	}
	if state := t.state.Load(); state != live {
		return nil, fail(t.w, "new context", noPeer, t.gone(state))
	}
	c := &CommContext{t: t, options: o, site: engine.Site()}
	c.lane = t.w.newLane(t.w.moves.NewLane(), t.numbering(), t.noun(), o)
	if err := t.w.addContext(c); err != nil {
		return nil, fail(t.w, "new context", noPeer, err)
	}
	return c, nil
}

func (w *World) addContext(c *CommContext) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.state.Load() != live { // since it was looked at last
		return w.gone()
	}
	w.contexts = append(w.contexts, c)
	return nil
}

// numbering returns the PEs of a team that has numbers of its own, else nil.
func (t *Team) numbering() []int {
	if t.slot == worldSlot {
		return nil
	}
	return t.members
}

func (t *Team) noun() string {
	if t.slot == worldSlot {
		return "world"
	}
	return "team"
}

// Via returns the array as operations through c see it: the same memory, with PEs
// numbered as in c's team. An operation on the view of a destroyed context is
// ErrClosed. Local. OpenSHMEM: the shmem_ctx_ forms of all operations.
func (a Array[T]) Via(c *CommContext) (Array[T], error) {
	if err := a.usable(); err != nil {
		return Array[T]{}, fail(a.World(), "via", noPeer, err)
	}
	err := c.usable()
	if err == nil && c.t.w != a.b.w {
		err = problem(ErrForeign, "the array and the context belong to different worlds")
	}
	if err != nil {
		return Array[T]{}, fail(a.b.w, "via", noPeer, err)
	}
	return Array[T]{a.b.allocation().view(c.lane), a.off, a.n}, nil
}

// Via returns the signal as operations through c see it; see Array.Via. A put with a
// signal goes the array's way, data and signal together, whichever way the signal is.
// Local.
func (s Signal) Via(c *CommContext) (Signal, error) {
	a, err := s.a.Via(c)
	return Signal{a}, err
}

// Team returns the team that the context numbers its PEs by; a nil context has
// none. Local. OpenSHMEM: shmem_ctx_get_team.
func (c *CommContext) Team() *Team {
	if c == nil {
		return nil
	}
	return c.t
}

// Options returns what the context was made with. Local. No OpenSHMEM counterpart.
func (c *CommContext) Options() ContextOptions {
	if c == nil {
		return ContextOptions{}
	}
	return c.options
}

// Fence orders earlier puts and atomics through the context before later ones, for
// each target PE. It does not wait. OpenSHMEM: shmem_ctx_fence.
func (c *CommContext) Fence() error {
	if err := c.mayUse(); err != nil {
		return fail(c.world(), "context fence", noPeer, err)
	}
	c.lane.moves.Fence()
	return nil
}

// Quiet returns when everything that went through the context is complete. Blocking,
// not collective. OpenSHMEM: shmem_ctx_quiet.
func (c *CommContext) Quiet(ctx context.Context) error {
	err := c.mayUse()
	if err == nil {
		err = c.lane.moves.Quiet(orBackground(ctx))
	}
	return fail(c.world(), "context quiet", noPeer, err)
}

// Destroy completes everything that went through the context and ends it; a second
// call does nothing. What is left is destroyed with its team, and by Finalize.
// Blocking, not collective. OpenSHMEM: shmem_ctx_destroy.
func (c *CommContext) Destroy(ctx context.Context) error {
	if c == nil || c.lane.closed.Load() {
		return nil
	}
	if err := c.Quiet(ctx); err != nil {
		return rename(err, "context destroy")
	}
	c.end()
	return nil
}

// end makes a completed context and all views of it useless.
func (c *CommContext) end() {
	w := c.t.w
	w.mu.Lock()
	defer w.mu.Unlock()
	c.lane.closed.Store(true) // with the lock: a view that is made meanwhile must not be missed
	w.contexts = slices.DeleteFunc(w.contexts, func(other *CommContext) bool { return other == c })
	for _, b := range w.blocks {
		if v := b.viewOf(c.lane); v != nil {
			v.state.CompareAndSwap(live, closed)
		}
	}
}

func (c *CommContext) usable() error {
	switch {
	case c == nil:
		return problem(ErrArgument, "the context is nil: use NewContext")
	case c.t.w.state.Load() != live:
		return c.t.w.gone()
	case c.lane.closed.Load():
		return problem(ErrClosed, "the context was destroyed")
	}
	return nil
}

// mayUse is usable, and in checked mode also says whether this goroutine may.
func (c *CommContext) mayUse() error {
	if err := c.usable(); err != nil || c.lane.check == nil {
		return err
	}
	if err := c.lane.check.arrive(); err != nil {
		return err
	}
	c.lane.check.leave()
	return nil
}

func (c *CommContext) world() *World {
	if c == nil {
		return nil
	}
	return c.t.w
}

// quietAll completes what went through the world and through every context.
func (w *World) quietAll(ctx context.Context) error {
	ctx = orBackground(ctx)
	if err := w.lane.moves.Quiet(ctx); err != nil {
		return err
	}
	if err := w.quietStreams(ctx); err != nil {
		return err
	}
	for _, c := range w.leftContexts() {
		if err := c.lane.moves.Quiet(ctx); err != nil {
			return err
		}
	}
	return nil
}

// leftContexts returns the user's contexts.
func (w *World) leftContexts() []*CommContext {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.contexts)
}

// endContexts completes and ends the contexts of a team.
func (t *Team) endContexts(ctx context.Context) error {
	for _, c := range t.w.leftContexts() {
		if c.t != t {
			continue
		}
		if err := c.lane.moves.Quiet(orBackground(ctx)); err != nil {
			return err
		}
		c.end()
	}
	return nil
}
