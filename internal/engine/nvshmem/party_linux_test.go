package nvshmem

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/goshmem/goshmem/internal/device/host"
	"github.com/goshmem/goshmem/internal/devices"
	"github.com/goshmem/goshmem/internal/engine"
	hostengine "github.com/goshmem/goshmem/internal/engine/host"
	"github.com/goshmem/goshmem/internal/env"
	"github.com/goshmem/goshmem/launch"
)

// folder has the libraries of all tests until the process ends: a file that came in the
// place of a loaded one could be taken for it.
var folder string

// member is this process's part in a job of processes, if it was started as one: with
// the library that is installed, or with a mock of it. Then the tests whose names begin
// with TestWorld are those of the job:
//
//	go test -c -o /tmp/nvshmem.test ./internal/engine/nvshmem
//	goshmem run -n 2 /tmp/nvshmem.test -test.run '^TestWorld' -test.v
var member *heap

// Suite in the environment has the world of the job be opened by package shmem.
const MockPath, MockDevices, Suite = "TEST_NVSHMEM_MOCK", "TEST_NVSHMEM_DEVICES", "TEST_NVSHMEM_SUITE"

func TestMain(m *testing.M) {
	code := 1
	if err := prepare(); err != nil {
		fmt.Fprintln(os.Stderr, err)
	} else {
		code = m.Run()
	}
	if err := finish(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func prepare() (err error) {
	job, err := launch.Detect(os.Environ())
	if err != nil {
		return err
	}
	if job.Size < 2 { // a member of a job makes no library, and could be killed before it had removed the folder
		folder, err = os.MkdirTemp("", "goshmem-nvshmem-")
		return err
	}
	if path := os.Getenv(MockPath); path != "" {
		if err := standIn(path, job.Size); err != nil {
			return err
		}
	}
	if os.Getenv(Suite) != "" {
		return nil
	}
	return enlist(job)
}

func finish() error {
	err := os.RemoveAll(folder) // "": of a member, nothing
	if member != nil {
		err = errors.Join(err, member.Close())
	}
	return err
}

// enlist opens the world of a job.
func enlist(job launch.Job) error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	store, err := launch.Join(ctx, job)
	if err != nil {
		return err
	}
	e := Engine{Control: hostengine.Engine{}}
	if v := e.Probe(); !v.OK {
		return errors.New(v.Reason)
	}
	c := engine.Config{HeapSize: 16 * heapSize, Timeout: 20 * time.Second}
	h, err := e.Open(ctx, engine.Job{Config: c, Rank: job.Rank, LocalRank: job.LocalRank, Size: job.Size, Exchange: store})
	if err != nil {
		return err
	}
	member = h.(*heap)
	return store.Close()
}

// standIn gives this process a mock as its library, over as many devices as is asked for.
func standIn(path string, pes int) error {
	n := pes
	if os.Getenv(MockDevices) == "1" {
		n = 1
	}
	if err := os.Setenv(env.HostDevices, fmt.Sprint(n)); err != nil {
		return err
	}
	d, err := devices.Open("host") // that of package gpu
	if err != nil {
		return err
	}
	m, err := openMock(d.(*host.Driver), path)
	if err != nil {
		return err
	}
	m.control("limited", word(n < pes))
	p := m.process()
	own.driver, own.spec, own.compile = p.driver, p.spec, p.compile
	return nil
}

// party is the PEs of a world that are in this process.
type party struct {
	t     testing.TB
	n     int // in the world
	heaps []*heap
	meet  func() error // nil: all are here
	job   *job         // nil: they are not mocks of this process
}

// world opens a world that is closed at the end, of n PEs on some devices; in a job it
// is the job's.
func world(t testing.TB, n, devices int) *party {
	t.Helper()
	if member != nil {
		all := make([]int, member.NPEs())
		for pe := range all {
			all[pe] = pe
		}
		g := member.Gate(40, all, member.Generation())
		p := &party{t: t, n: len(all), heaps: []*heap{member}}
		p.meet = func() error { return g.Meet(t.Context(), engine.Call{Kind: engine.KindBarrier}) }
		return p
	}
	j := newJob(t, n, devices, true)
	p := &party{t: t, n: n, heaps: j.must(), job: j}
	t.Cleanup(func() {
		p.each(func(pe int, _ *memory) error { return p.heaps[pe].Close() })
	})
	return p
}

// each runs f on all PEs at once, and fails the test for every error. When it returns
// all PEs have done it.
func (p *party) each(f func(pe int, m *memory) error) {
	p.t.Helper()
	errs := make([]error, len(p.heaps))
	var wg sync.WaitGroup
	for i, h := range p.heaps {
		wg.Go(func() { errs[i] = f(h.Rank(), h.device) })
	}
	wg.Wait()
	for i, err := range errs {
		if err != nil {
			p.t.Errorf("PE %d: %v", p.heaps[i].Rank(), err)
		}
	}
	if p.meet != nil {
		if err := p.meet(); err != nil {
			p.t.Fatal(err)
		}
	}
}
