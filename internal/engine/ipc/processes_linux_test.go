package ipc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/engine/host"
	"github.com/goshmem/goshmem/launch"
	"github.com/goshmem/goshmem/launch/launcher"
)

// programs are what a process of this binary can be instead of a test.
func programs() map[string]func(p *pe) error {
	return map[string]func(p *pe) error{"ring": ring, "die": die}
}

func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		if f := programs()[os.Args[1]]; f != nil {
			if err := process(f); err != nil {
				fmt.Println(err)
				os.Exit(1)
			}
			os.Exit(0)
		}
	}
	os.Exit(m.Run())
}

// process is a PE of a launched job.
func process(f func(p *pe) error) error {
	ctx := context.Background()
	who, err := launch.Detect(os.Environ())
	if err != nil {
		return err
	}
	store, err := launch.Join(ctx, who)
	if err != nil {
		return err
	}
	h, err := Engine{Control: host.Engine{}, Driver: testDriver()}.Open(ctx, engine.Job{Config: smallConfig(), Rank: who.Rank, Size: who.Size, LocalRank: who.LocalRank, Exchange: store})
	if err != nil {
		return err
	}
	p := &pe{plane: h.(*heap).plane, heap: h}
	if p.stream, err = p.driver.NewStream(p.dev, 0); err != nil {
		return err
	}
	return errors.Join(store.Close(), f(p), h.Close())
}

// ring has each PE put to the next, meet the others, and add all up.
func ring(p *pe) error {
	src, sum := p.at(p.rank, 64), engine.Collective{Kind: engine.KindAllReduce, Src: 128, Dst: 192, Bytes: 4, Elem: 2}
	err := errors.Join(
		p.driver.WriteValue(p.dev, p.stream, src, uint64(p.rank+1)),
		p.PutOn(p.stream, (p.rank+1)%p.n, 128, src, 8),
		p.world.BarrierOn(p.stream),
		p.world.CollectiveOn(p.stream, &sum),
		p.finish(),
	)
	v, e := p.Load(192, 4)
	if err = errors.Join(err, e); err == nil {
		fmt.Println("the sum is", v)
	}
	return err
}

// die has PE 1 killed in a barrier of streams, to which PE 2 never comes.
func die(p *pe) error {
	arrived := engine.AMO{Kind: engine.AMOAdd, Width: 8, Value: 1}
	err := errors.Join(p.world.BarrierOn(p.stream), p.finish(), p.SignalOn(p.stream, 1, 72, arrived))
	if p.rank == 1 {
		err = errors.Join(err, p.WaitOn(p.stream, 72, engine.CompareGE, 3), p.finish())
	}
	if err != nil {
		return err
	}
	if p.rank < 2 {
		if err := p.world.BarrierOn(p.stream); err != nil {
			return err
		}
	}
	if p.rank == 1 {
		return unix.Kill(os.Getpid(), unix.SIGKILL)
	}
	begun := time.Now()
	err = errors.Join(p.WaitOn(p.stream, 64, engine.CompareEQ, 1), p.finish())
	if !errors.Is(err, engine.ErrDied) || time.Since(begun) > smallConfig().Timeout/2 {
		return fmt.Errorf("after %v: %w", time.Since(begun), err)
	}
	done := false
	for begun := time.Now(); !done && err != nil; time.Sleep(time.Millisecond) {
		var fault error
		if done, fault = p.driver.StreamDone(p.dev, p.stream); fault != nil || time.Since(begun) > smallConfig().Timeout {
			return fmt.Errorf("the stream was not released: %v", fault)
		}
	}
	fmt.Println("released:", strings.Contains(err.Error(), "PE 1"))
	return nil
}

// output is what all ranks write.
type output struct {
	mu sync.Mutex
	strings.Builder
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.Builder.Write(b)
}

func job3(t *testing.T, program string) (launcher.Result, string) {
	t.Helper()
	var out output
	r, err := launcher.Run(t.Context(), launcher.Spec{
		N: 3, Argv: []string{os.Args[0], program}, Merge: true, Timeout: time.Minute, Settle: 30 * time.Second,
		Output: func(int) (stdout, stderr io.Writer) { return &out, &out },
	})
	if err != nil && len(r.Ranks) == 0 {
		t.Fatal(err)
	}
	return r, out.String()
}

// TestProcesses: PEs that are processes reach each other's device memory.
func TestProcesses(t *testing.T) {
	r, out := job3(t, "ring")
	if strings.Count(out, "the sum is 6\n") != 3 {
		t.Errorf("%+v\n%s", r, out)
	}
}

// TestDeath: the streams of the others are released when a PE is killed in a barrier.
func TestDeath(t *testing.T) {
	r, out := job3(t, "die")
	if strings.Count(out, "released: true\n") != 2 {
		t.Errorf("%+v\n%s", r, out)
	}
	for _, rank := range r.Ranks {
		if rank.Termed || rank.Killed {
			t.Errorf("rank %d did not end by itself\n%s", rank.Rank, out)
		}
	}
}
