package nccl_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/internal/dl"
	"github.com/goshmem/goshmem/internal/skip"
	"github.com/goshmem/goshmem/launch"
	"github.com/goshmem/goshmem/nccl"
)

// callsFile names a file to which a run of the tests writes what functions of vendors'
// libraries have done their work, as a JSON object.
const callsFile = "NCCL_TEST_CALLS"

func TestMain(m *testing.M) {
	path := os.Getenv(callsFile)
	if path == "" {
		os.Exit(m.Run())
	}
	dl.Watch()
	status := m.Run()
	text, err := json.MarshalIndent(dl.Witnessed(), "", "\t")
	if err = errors.Join(err, os.WriteFile(path, text, 0o600)); err != nil {
		fmt.Println(err)
		status = 1
	}
	os.Exit(status)
}

// limit bounds what the ranks of a check wait for each other.
const limit = time.Minute

// rank is what a check has of one rank.
type rank struct {
	c     *nccl.Comm
	s     *gpu.Stream
	ctx   context.Context
	close []func() error
}

// check is a promise that all libraries keep, as one rank sees it.
type check struct {
	name string
	run  func(r *rank) error
}

// launched says whether a launcher started this binary as one of several ranks.
func launched(t *testing.T) bool {
	t.Helper()
	job, err := launch.Detect(os.Environ())
	if err != nil {
		t.Fatal(err)
	}
	return job.Family != "none"
}

// hostRanks is how many ranks there are where there is no GPU.
const hostRanks = 3

// platform is a platform's devices, or a skip that says why there is none.
func platform(t *testing.T, name string) []*gpu.Device {
	t.Helper()
	list, err := gpu.Devices(name)
	if err != nil {
		skip.Now(t, skip.NoGPU, err.Error())
	}
	if name == "host" {
		return slices.Repeat(list[:1], hostRanks)
	}
	return list
}

// options are those of all tests on a platform.
func options(name string) nccl.Options {
	return nccl.Options{Library: map[string]string{"cuda": "nccl", "hip": "rccl", "host": "host"}[name], Timeout: limit}
}

// local makes ranks in this process, one for each device.
func local(t *testing.T, name string, o nccl.Options) []*rank {
	t.Helper()
	devices := platform(t, name)
	comms, err := nccl.InitAll(t.Context(), devices, o)
	if errors.Is(err, nccl.ErrNoLibrary) {
		skip.Now(t, skip.NoVendor, err.Error())
	}
	if err != nil {
		t.Fatal(err)
	}
	var ranks []*rank
	for _, c := range comms {
		ranks = append(ranks, newRank(t, c))
	}
	return ranks
}

// newRank is a rank with a stream; the communicator is closed at the end of the test.
func newRank(t *testing.T, c *nccl.Comm) *rank {
	t.Helper()
	s, err := c.Device().NewStream()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(c.Close(), s.Close()); err != nil {
			t.Error(err)
		}
	})
	return &rank{c: c, s: s, ctx: context.Background()}
}

// all runs a check on all ranks at the same time, each on a goroutine of its own.
func all(t *testing.T, ranks []*rank, run func(r *rank) error) {
	t.Helper()
	results := make(chan error, len(ranks))
	for _, r := range ranks {
		go func() { results <- r.one(run) }()
	}
	for range ranks {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
}

// one runs a check on a rank, and gives back what it has allocated.
func (r *rank) one(run func(r *rank) error) error {
	err := run(r)
	if err != nil {
		err = fmt.Errorf("%v: %w", r.c, err)
	}
	for i := len(r.close) - 1; i >= 0; i-- {
		err = errors.Join(err, r.close[i]())
	}
	r.close = nil
	return err
}

// TestRanks runs all checks: on the ranks of the job that started this binary, one for each
// process, else on all devices of each platform, all in this process.
func TestRanks(t *testing.T) {
	if launched(t) {
		c, err := nccl.Init(t.Context(), nccl.Options{Timeout: limit})
		if err != nil {
			t.Fatal(err)
		}
		t.Log(c, c.Library())
		r := newRank(t, c)
		for _, c := range checks() {
			t.Run(c.name, func(t *testing.T) { all(t, []*rank{r}, c.run) })
		}
		return
	}
	for _, name := range []string{"cuda", "hip", "host"} {
		t.Run(name, func(t *testing.T) {
			ranks := local(t, name, options(name))
			t.Log(len(ranks), "ranks", ranks[0].c.Library())
			for _, c := range checks() {
				t.Run(c.name, func(t *testing.T) { all(t, ranks, c.run) })
			}
		})
	}
}

// alloc allocates until the end of the check.
func alloc[T any](r *rank, n int) (gpu.Slice[T], error) {
	x, err := gpu.Alloc[T](r.c.Device(), n)
	if err == nil {
		r.close = append(r.close, x.Close)
	}
	return x, err
}

// filled is memory with numbers in it.
func filled[T any](r *rank, k kind[T], n int, value func(i int) float64) (gpu.Slice[T], error) {
	x, err := alloc[T](r, n)
	if err != nil {
		return x, err
	}
	return x, x.CopyFrom(list(k, n, value), r.s)
}

func list[T any](k kind[T], n int, value func(i int) float64) []T {
	all := make([]T, n)
	for i := range all {
		all[i] = k.from(value(i))
	}
	return all
}

// holds waits for the stream, and compares memory with what it should hold.
func holds[T any](r *rank, k kind[T], what string, x gpu.Slice[T], tolerance float64, want func(i int) float64) error {
	if err := r.c.Synchronize(r.ctx, r.s); err != nil {
		return fmt.Errorf("%s of %v: %w", what, k.t, err)
	}
	got := make([]T, x.Len())
	if err := x.CopyTo(got, r.s); err != nil {
		return err
	}
	for i, v := range got {
		w := k.to(k.from(want(i)))
		if d := k.to(v) - w; d > tolerance*max(w, 1) || -d > tolerance*max(w, 1) || d != d {
			return fmt.Errorf("%s of %d %v: element %d is %v, want %v", what, x.Len(), k.t, i, k.to(v), w)
		}
	}
	return nil
}
