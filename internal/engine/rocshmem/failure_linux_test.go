package rocshmem

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/goshmem/goshmem/internal/abi"
	"github.com/goshmem/goshmem/internal/abi/rocshmem"
	"github.com/goshmem/goshmem/internal/abi/rocshmem/standin"
	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/dl"
	"github.com/goshmem/goshmem/internal/engine"
	enginehost "github.com/goshmem/goshmem/internal/engine/host"
)

// TestJoinFails: whatever is wrong on one PE is an error of all, before the library is
// started where it would end the process.
func TestJoinFails(t *testing.T) {
	build := func(definitions ...string) string { return build(t, definitions...) }
	good := build()
	for _, c := range []struct {
		name string
		plan plan
		is   error // what PE 0 or PE 1 gets
		kind error // what that is to callers
		says string
	}{
		{"no shim", plan{files: []string{good, "/nowhere/" + rocshmem.Soname}}, device.ErrUnsupported, device.ErrUnsupported, "/nowhere"},
		{"another table", plan{files: []string{good, build("-DTABLE=1")}}, rocshmem.ErrShim, device.ErrUnsupported, "build it again from native/rocshmem"},
		{"two installations", plan{files: []string{good, build(`-DARCHIVE="3.7.0"`)}}, rocshmem.ErrShim, device.ErrUnsupported, "headers of rocSHMEM 3.8.0 and linked with rocSHMEM 3.7.0"},
		{"another build", plan{files: []string{good, build(`-DBUILT="IPC"`)}}, engine.ErrMismatch, engine.ErrMismatch, "all must be built over the same rocSHMEM"},
		{"RO without MPI", plan{files: []string{good, good}, environ: []string{"ROCSHMEM_BACKEND=ro"}}, ErrNeedsMPI, device.ErrUnsupported, "start with mpirun -n 2"},
		{"no such backend", plan{files: []string{good, good}, environ: []string{"ROCSHMEM_BACKEND=rdma"}}, ErrBackend, device.ErrUnsupported, "rdma"},
		{"no such port", plan{files: []string{good, good}, environ: []string{"MASTER_PORT=0"}}, ErrSetting, device.ErrArgument, "MASTER_PORT"},
		{"too large", plan{files: []string{good, good}, config: engine.Config{HeapSize: 1 << 50}}, device.ErrMemory, device.ErrMemory, "lower GOSHMEM_HEAP_SIZE"},
		{"sizes differ", plan{files: []string{good, good}, job: func(j *engine.Job) { j.HeapSize += uintptr(j.Rank) << 20 }}, engine.ErrMismatch, engine.ErrMismatch, "must be the same everywhere"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.plan.config.HeapSize == 0 {
				c.plan.config.HeapSize = 1 << 20
			}
			c.plan.config.Timeout = time.Minute
			for i := range c.plan.files {
				if c.plan.files[i] == good {
					c.plan.files[i] = standin.Copies(t, good, 1)[0]
				}
			}
			_, errs := c.plan.open(t)
			if all := errors.Join(errs...); !errors.Is(all, c.is) || !errors.Is(all, c.kind) || !strings.Contains(all.Error(), c.says) {
				t.Errorf("PE 0: %v\nPE 1: %v\nwant %v, %v, %q", errs[0], errs[1], c.is, c.kind, c.says)
			}
			for pe, err := range errs { // who is told of it by the other knows that one has failed
				if !errors.Is(err, c.kind) && !errors.Is(err, engine.ErrFailed) {
					t.Errorf("PE %d: %v", pe, err)
				}
			}
		})
	}
}

// TestOnce: the library starts once in a process.
func TestOnce(t *testing.T) {
	p := &process{spec: abi.ROCSHMEM}
	p.used.Store(true)
	control, err := enginehost.Engine{}.OpenLocal(1, engine.Config{HeapSize: controlSize(1), Timeout: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := open(t.Context(), p, engine.Job{Size: 1}, control[0]); !errors.Is(err, ErrUsed) || !errors.Is(err, device.ErrUnsupported) {
		t.Errorf("error %v", err)
	}
}

// TestDeathInAStream: a PE fails while the streams of the others wait for it in the
// library. The waits of the host end; the library is given up, since its own do not.
func TestDeathInAStream(t *testing.T) {
	pes, errs := planned(t, 3).open(t)
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	each(pes, func(p *pe) {
		if p.rank == 2 {
			p.heap.Fail("it was told to", engine.Stays)
			return
		}
		s := p.newStream()
		p.ok(p.world.BarrierOn(s)) // PE 2 never comes
		err := p.Finish(p.Context(), engine.Call{Kind: engine.KindBarrier}, s)
		if !errors.Is(err, engine.ErrFailed) || p.Poisoned() == nil || !strings.Contains(err.Error(), "it was told to") {
			p.Errorf("PE %d: %v", p.rank, err)
		}
		if err := p.PutOn(s, 0, 0, device.Ptr(p.Base), 8); !errors.Is(err, engine.ErrFailed) {
			p.Errorf("PE %d: put after that: %v", p.rank, err)
		}
		p.ok(p.device().Close())
	})
	pes[0].controls.GiveUp() // or the streams would go on waiting
}

func (p *pe) device() engine.Device { return p.heap.(engine.Devised).Device() }

// TestCallThatStays: a call in the library that does not come back is given up with its
// thread when time is over, and nothing enters afterwards.
func TestCallThatStays(t *testing.T) {
	pes, errs := planned(t, 2).open(t)
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := pes[0].NewGroup(ctx, pes[0].world, 1, 0, 1, 2) // PE 1 does not
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "making a team has not come back") {
		t.Errorf("error %v", err)
	}
	if _, err := pes[0].Atomic(0, 0, engine.AMO{Kind: engine.AMOAdd, Width: 8}); !errors.Is(err, pes[0].Poisoned()) || err == nil {
		t.Errorf("atomic after that: %v", err)
	}
	pes[0].controls.GiveUp()
}

// TestProbe: what is said before anything is loaded.
func TestProbe(t *testing.T) {
	control := enginehost.Engine{}
	no := func(string) (device.Driver, error) { return nil, errors.New("no driver of hip") }
	none := func() []string { return nil }
	at := func(path string) func() dl.Spec {
		return func() dl.Spec { s := abi.ROCSHMEM(); s.Path = path; return s }
	}
	file := build(t)
	for i, c := range []struct {
		p    *process
		ok   bool
		says string
	}{
		{&process{driver: no, environ: none, spec: at(file)}, true, file},
		{&process{driver: no, environ: none, spec: at("/nowhere.so")}, false, "build it from native/rocshmem"},
		{&process{driver: no, environ: none, spec: at("/dev/null")}, false, "no driver of hip"},
		{&process{driver: no, environ: func() []string { return []string{"ROCSHMEM_BACKEND=x"} }, spec: at(file)}, false, "ROCSHMEM_BACKEND"},
	} {
		if v := (Engine{Control: control, in: c.p}).Probe(); v.OK != c.ok || !strings.Contains(v.Reason, c.says) {
			t.Errorf("case %d: %+v", i, v)
		}
	}
	if e := (Engine{Control: control}); e.Name() != "rocshmem" || e.process() != &own {
		t.Error(fmt.Sprint(e))
	}
}
