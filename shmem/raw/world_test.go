package raw_test

import (
	"context"
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/shmem"
	"github.com/goshmem/goshmem/shmem/raw"
)

func queries(p *pe) {
	same(p, "my_pe in range", p.me >= 0 && p.me < p.n, true)
	same(p, "my_pe", p.me, p.w.MyPE())
	same(p, "n_pes", p.n, p.w.NPEs())
	same(p, "team_my_pe of no team", raw.TeamMyPe(nil), -1)
	same(p, "team_n_pes of no team", raw.TeamNPes(nil), -1)
	same(p, "query_thread", raw.QueryThread(), 4)
	major, minor := raw.InfoGetVersion()
	same(p, "version", [2]int{major, minor}, [2]int{1, 4})
	same(p, "name", raw.InfoGetName(), "goshmem")
}

// constants have the values of rocSHMEM.
func constants(p *pe) {
	same(p, "comparisons", [6]shmem.Cmp{raw.CmpEq, raw.CmpNe, raw.CmpGt, raw.CmpGe, raw.CmpLt, raw.CmpLe}, [6]shmem.Cmp{0, 1, 2, 3, 4, 5})
	same(p, "signal operations", [2]shmem.SignalOp{raw.SignalSet, raw.SignalAdd}, [2]shmem.SignalOp{0, 1})
}

// alone is an exchange of one process, which has nobody to talk to.
type alone struct{}

func (alone) Broadcast(context.Context, []byte, int) error { return nil }
func (alone) Barrier(context.Context) error                { return nil }

func TestInitAndFinalize(t *testing.T) {
	ctx := t.Context()
	w, err := raw.InitAttr(ctx, 0, 1, alone{})
	if err != nil {
		t.Fatal(err)
	}
	p := newPE(t, w)
	same(p, "PEs", p.n, 1)
	ptr := p.malloc(8)
	p.ok(raw.Finalize(ctx, w))
	p.ok(raw.Finalize(ctx, w))
	for name, call := range p.calls(ptr) {
		p.refused(name+" after finalize", call(ptr), shmem.ErrClosed)
	}
	p.refused("free after finalize", raw.Free(ctx, w, ptr), shmem.ErrClosed)
	_, err = raw.InitAttr(ctx, 1, 1, alone{})
	p.refused("rank 1 of 1", err, shmem.ErrArgument)
}

func TestGlobalExit(t *testing.T) {
	err := shmem.RunLocal(t.Context(), 3, options, func(ctx context.Context, w *shmem.World) error {
		if raw.MyPe(w) == 1 {
			raw.GlobalExit(w, 7)
		}
		return raw.BarrierAll(ctx, w)
	})
	if err == nil || !strings.Contains(err.Error(), "PE 1: called global exit 7") {
		t.Errorf("the world ends with %v", err)
	}
}

// TestInit joins the job that this binary was started in, if it was.
func TestInit(t *testing.T) {
	w, err := raw.Init(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p := newPE(t, w)
	p.barrier()
	p.is("the world", raw.TeamWorld(w), p.me, p.n)
	p.ok(raw.Finalize(p.ctx, w))
}

func TestDumpStats(t *testing.T) {
	out, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	stdout := os.Stdout
	os.Stdout = out
	err = shmem.RunLocal(t.Context(), 1, options, func(ctx context.Context, w *shmem.World) error {
		ptr, err := raw.Malloc(ctx, w, 100)
		return errors.Join(err, raw.DumpStats(w), raw.Free(ctx, w, ptr), raw.DumpStats(w))
	})
	os.Stdout = stdout
	text, readErr := os.ReadFile(out.Name())
	if err := errors.Join(err, readErr, out.Close()); err != nil {
		t.Fatal(err)
	}
	want := regexp.MustCompile(`^PE 0: 1 blocks, 128 of 1048576 bytes used, the largest hole has 1048448
PE 0: 100 bytes of alloc #1 \(world_test.go:\d+\)
PE 0: 0 blocks, 0 of 1048576 bytes used, the largest hole has 1048576
$`)
	if !want.Match(text) {
		t.Errorf("printed:\n%s", text)
	}
}
