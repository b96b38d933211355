package rocshmem

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/goshmem/goshmem/internal/abi"
	"github.com/goshmem/goshmem/internal/abi/rocshmem/standin"
	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/device/host"
	"github.com/goshmem/goshmem/internal/dl"
	"github.com/goshmem/goshmem/internal/engine"
	enginehost "github.com/goshmem/goshmem/internal/engine/host"
)

// meeting is an exchange between goroutines.
type meeting struct {
	mu      sync.Mutex
	turn    *sync.Cond
	n, came int
	round   int
	buf     []byte
}

func newMeeting(n int) *meeting {
	m := &meeting{n: n}
	m.turn = sync.NewCond(&m.mu)
	return m
}

// seat is a member's place.
type seat struct {
	*meeting
	rank int
}

func (s seat) Broadcast(ctx context.Context, buf []byte, root int) error {
	if s.rank == root {
		s.mu.Lock()
		s.buf = slices.Clone(buf)
		s.mu.Unlock()
	}
	if err := s.Barrier(ctx); err != nil {
		return err
	}
	s.mu.Lock()
	copy(buf, s.buf)
	s.mu.Unlock()
	return s.Barrier(ctx)
}

func (s seat) Barrier(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	round := s.round
	if s.came++; s.came == s.n {
		s.came, s.round = 0, round+1
		s.turn.Broadcast()
	}
	for s.round == round {
		s.turn.Wait()
	}
	return nil
}

// plan is a world to be made: a file of the stand-in for each PE.
type plan struct {
	files   []string
	config  engine.Config
	environ []string
	job     func(*engine.Job)
}

// built has the stand-ins of this test binary by their definitions.
var built struct {
	sync.Mutex
	folder string
	files  map[string]string
}

func TestMain(m *testing.M) {
	status := m.Run()
	if err := os.RemoveAll(built.folder); err != nil {
		panic(err)
	}
	os.Exit(status)
}

// build is standin.Build, once for the same definitions.
func build(t testing.TB, definitions ...string) string {
	t.Helper()
	built.Lock()
	defer built.Unlock()
	if built.folder == "" {
		folder, err := os.MkdirTemp("", "standin") // of the binary, not of one test
		if err != nil {
			t.Fatal(err)
		}
		built.folder, built.files = folder, map[string]string{}
	}
	name := strings.Join(definitions, " ")
	if built.files[name] == "" {
		built.files[name] = standin.BuildIn(t, filepath.Join(built.folder, fmt.Sprint(len(built.files))), definitions...)
	}
	return built.files[name]
}

// planned is a world of n PEs over a stand-in with definitions.
func planned(t testing.TB, n int, definitions ...string) plan {
	t.Helper()
	return plan{
		files:  standin.Copies(t, build(t, definitions...), n),
		config: engine.Config{HeapSize: 1 << 20, Timeout: time.Minute},
	}
}

// pe is one PE of a world under test.
type pe struct {
	testing.TB
	*memory
	heap     engine.Heap
	controls standin.Controls
	n        int
}

// open makes the world, all PEs at once. What one gets is at its place.
func (p plan) open(t testing.TB) ([]*pe, []error) {
	t.Helper()
	t.Setenv(heapVar, "1") // the engine sets it
	n := len(p.files)
	driver, err := host.Open(2)
	if err != nil {
		t.Fatal(err)
	}
	small := p.config
	small.HeapSize = min(controlSize(p.config.HeapSize), 1<<20)
	controls, err := enginehost.Engine{}.OpenLocal(n, small)
	if err != nil {
		t.Fatal(err)
	}
	table := newMeeting(n)
	pes, errs := make([]*pe, n), make([]error, n)
	var all sync.WaitGroup
	for i, control := range controls {
		all.Go(func() {
			own := &process{
				driver:  func(string) (device.Driver, error) { return driver, nil },
				environ: func() []string { return p.environ },
				spec:    func() dl.Spec { s := abi.ROCSHMEM(); s.Path = p.files[i]; return s },
			}
			job := engine.Job{Config: p.config, Rank: i, LocalRank: i, Size: n, Exchange: seat{table, i}}
			if p.job != nil {
				p.job(&job)
			}
			h, err := open(t.Context(), own, job, control)
			if errs[i] = err; err == nil {
				m := h.(engine.Devised).Device().(*memory)
				pes[i] = &pe{TB: t, memory: m, heap: h, controls: standin.Control(t, p.files[i]), n: n}
			}
		})
	}
	all.Wait()
	return pes, errs
}

// run makes the world, calls body on each PE, and closes it. No call may have been one
// that the library would not take.
func (p plan) run(t *testing.T, body func(p *pe)) {
	t.Helper()
	pes, errs := p.open(t)
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	each(pes, func(p *pe) {
		body(p)
		p.ok(p.heap.Close())
	})
	for i, p := range pes {
		if bad := p.controls.Complaints(); len(bad) > 0 {
			t.Errorf("PE %d: the library would have crashed: %q", i, bad)
		}
	}
}

func each(pes []*pe, body func(p *pe)) {
	var all sync.WaitGroup
	for _, p := range pes {
		all.Go(func() { body(p) })
	}
	all.Wait()
}

// ok reports an error. PEs are goroutines: the others would wait for one that ends.
func (p *pe) ok(err error) {
	if err != nil {
		p.Helper()
		p.Errorf("PE %d: %v", p.rank, err)
	}
}

// barrier is one of the host: all come together over the control heap's world gate.
func (p *pe) barrier(s device.Handle) {
	p.Helper()
	p.ok(p.world.BarrierOn(s))
	p.finish(s)
}

func (p *pe) finish(s device.Handle) {
	p.Helper()
	p.ok(p.Finish(p.Context(), engine.Call{Kind: engine.KindWait}, s))
}

func (p *pe) newStream() device.Handle {
	p.Helper()
	s, err := p.GPU.NewStream(p.Dev, 0)
	p.ok(err)
	return s
}

// put writes a slice to an own offset, and values reads one.
func (p *pe) write(at engine.Offset, v ...uint64) {
	p.Helper()
	p.ok(p.Put(p.rank, at, unsafe.Pointer(&v[0]), uintptr(8*len(v))))
}

func (p *pe) values(at engine.Offset, n int) []uint64 {
	p.Helper()
	v := make([]uint64, n)
	p.ok(p.Get(p.rank, unsafe.Pointer(&v[0]), at, uintptr(8*n)))
	return v
}

// has holds the own memory to values.
func (p *pe) has(at engine.Offset, want ...uint64) {
	p.Helper()
	if got := p.values(at, len(want)); !slices.Equal(got, want) {
		p.Errorf("PE %d has %v at %d, want %v", p.rank, got, at, want)
	}
}
