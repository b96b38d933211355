package engines

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/env"
)

// named is an engine that can run where its reason is empty.
type named struct {
	engine.Engine
	name, cannot string
	shy          string
}

func (n named) Name() string { return n.name }

func (n named) Probe() engine.Verdict {
	if n.cannot != "" {
		return engine.Verdict{Reason: n.cannot}
	}
	return engine.Verdict{OK: true, Reason: n.name + " is here"}
}

func (n named) Reluctant() string { return n.shy }

// table is an exchange between goroutines.
type table struct {
	told []chan []byte
}

func newTable(n int) *table {
	t := &table{}
	for range n {
		t.told = append(t.told, make(chan []byte, n))
	}
	return t
}

// at is the exchange as one of n PEs has it.
type at struct {
	*table
	pe int
}

func (a at) Broadcast(ctx context.Context, buf []byte, root int) error {
	if a.pe == root {
		for range len(a.told) - 1 {
			a.told[root] <- append([]byte(nil), buf...)
		}
		return nil
	}
	select {
	case got := <-a.told[root]:
		copy(buf, got)
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (a at) Barrier(context.Context) error { return errors.New("nobody needs one") }

// choices has PEs choose, each with its own name and engines.
func choices(t *testing.T, names []string, all [][]engine.Engine) []string {
	t.Helper()
	said, tab := make([]string, len(names)), newTable(len(names))
	var wg sync.WaitGroup
	for pe := range names {
		wg.Go(func() {
			job := engine.Job{Rank: pe, Size: len(names), Exchange: at{tab, pe}}
			c, err := Choose(t.Context(), names[pe], all[pe], job)
			switch {
			case err != nil && !errors.As(err, &Refusal{}):
				t.Errorf("PE %d: %v is no refusal", pe, err)
			case err != nil:
				said[pe] = err.Error()
			default:
				said[pe] = fmt.Sprintf("%s %d: %s", c.Engine.Name(), c.LocalRank, c.Reason)
			}
		})
	}
	wg.Wait()
	return said
}

// TestChoose: all PEs come to the same engine, the best that all of them can run, or to
// the same error.
func TestChoose(t *testing.T) {
	gpu := func(cannot string) engine.Engine { return named{name: "gpu", cannot: cannot} }
	var shy, host engine.Engine = named{name: "shy", shy: "it must be asked for"}, named{name: "host"}
	for _, c := range []struct {
		what, asked0, asked1, gpu0, gpu1 string
		want0, want1                     string
	}{
		{what: "the best", want0: "gpu 0: best that can run; gpu is here", want1: "gpu 1: best that can run; gpu is here"},
		{what: "not on one", gpu1: "no device", want0: "host 0: best that can run; host is here (gpu: no device (PE 1); shy: it must be asked for)"},
		{what: "on none", gpu0: "no device", gpu1: "no device", want0: "host 0: best that can run; host is here (gpu: no device; shy: it must be asked for)"},
		{what: "asked for", asked0: "host", asked1: "host", want0: "host 0: asked for; host is here"},
		{what: "shy, asked for", asked0: "shy", asked1: "shy", want1: "shy 1: asked for; shy is here"},
		{what: "asked for, not on one", asked0: "gpu", asked1: "gpu", gpu0: "too old", want1: "engine gpu was asked for but cannot run: too old (PE 0)"},
		{what: "asked for by one", asked1: "host", want0: "PE 0 asks for no engine by name, PE 1 for engine host: all must ask for the same"},
		{what: "unknown", asked0: "x", asked1: "x", want0: "engine x was asked for but cannot run: there is no such engine; engines that can: gpu, host"},
	} {
		got := choices(t, []string{c.asked0, c.asked1}, [][]engine.Engine{{gpu(c.gpu0), shy, host}, {gpu(c.gpu1), shy, host}})
		for pe, want := range []string{c.want0, c.want1} {
			if want != "" && !strings.HasPrefix(got[pe], want) {
				t.Errorf("%s: PE %d has %q, want %q", c.what, pe, got[pe], want)
			}
		}
		if strings.Contains(got[0], "asked for but") && got[0] != got[1] {
			t.Errorf("%s: PEs have different errors, %q and %q", c.what, got[0], got[1])
		}
	}
}

// TestVariableNamesAll: what `goshmem info` says of the variable is of the engines that
// there are.
func TestVariableNamesAll(t *testing.T) {
	for _, v := range env.Vars() {
		for _, e := range All() {
			if v.Name == env.Engine && !strings.Contains(v.Help, e.Name()) {
				t.Errorf("%s: %q does not name %s", v.Name, v.Help, e.Name())
			}
		}
	}
}
