package nccl_test

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/internal/env"
	"github.com/goshmem/goshmem/nccl"
)

// refusal is an error, which one it should be, and what it should say.
type refusal struct {
	err  error
	is   error
	says string
}

func refused(t *testing.T, list []refusal) {
	t.Helper()
	for _, r := range list {
		if !errors.Is(r.err, r.is) || !strings.Contains(r.err.Error(), r.says) {
			t.Errorf("%v, want one that says %q", r.err, r.says)
		}
	}
}

// TestRefusals: each mistake is refused before anything is started, and the error says
// what to do.
func TestRefusals(t *testing.T) {
	if launched(t) {
		return
	}
	r := local(t, "host", options("host"))[1] // rank 1 of 3
	c, s := r.c, r.s
	x, err := alloc[float32](r, 12)
	y, yerr := alloc[float32](r, 12)
	z, zerr := alloc[int16](r, 12)
	ended, eerr := alloc[float32](r, 12)
	if err := errors.Join(err, yerr, zerr, eerr, ended.Close()); err != nil {
		t.Fatal(err)
	}
	part := func(lo, hi int) gpu.Slice[float32] {
		p, err := x.Slice(lo, hi)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	raw := func(n int, kind nccl.DataType) nccl.Raw { return nccl.Raw{Address: y.Address(), Count: n, Type: kind} }
	four := []int{4, 4, 4}
	refused(t, []refusal{
		{nccl.AllReduce(c, x, part(0, 6), nccl.Sum, s), nccl.ErrArgument, "send has 12 elements and recv 6: with 3 ranks both are as long"},
		{nccl.AllReduce(c, part(0, 6), part(1, 7), nccl.Sum, s), nccl.ErrArgument, "share memory, and not in the way that this call has in place: both are the same memory"},
		{nccl.AllReduce(c, x, raw(12, nccl.Float64), nccl.Sum, s), nccl.ErrArgument, "send has elements of float32, recv of float64"},
		{nccl.AllReduce(c, x, nccl.Nothing{}, nccl.Sum, s), nccl.ErrArgument, "recv is Nothing"},
		{nccl.AllReduce(c, x, ended, nccl.Sum, s), gpu.ErrClosed, "the memory is closed"},
		{nccl.AllReduce(c, z, z, nccl.Sum, s), nccl.ErrArgument, "elements of this type cannot be combined"},
		{nccl.AllReduce(c, x, x, nccl.Op(77), s), nccl.ErrArgument, "operation 77 is none of this communicator"},
		{nccl.AllReduce(c, raw(3, -1), raw(3, -1), nccl.Sum, s), nccl.ErrArgument, "3 elements of type -1"},
		{nccl.AllReduce(c, nccl.Raw{Count: 3}, x, nccl.Sum, s), nccl.ErrArgument, "address 0x0"},
		{nccl.AllReduce(nil, x, x, nccl.Sum, s), nccl.ErrArgument, "no communicator: Init makes one"},
	})
	refused(t, []refusal{
		{nccl.Broadcast(c, x, y, 3, s), nccl.ErrArgument, "root 3: this communicator has ranks 0 to 2"},
		{nccl.Broadcast(c, x, y, -1, s), nccl.ErrArgument, "root -1"},
		{nccl.Broadcast(c, nccl.Nothing{}, y, 1, s), nccl.ErrArgument, "send is Nothing: this rank needs memory"},
		{nccl.Send(c, x, 3, s), nccl.ErrArgument, "peer 3: this communicator has ranks 0 to 2"},
		{nccl.Recv(c, nccl.Nothing{}, 0, s), nccl.ErrArgument, "recv is Nothing"},
		{nccl.AllGather(c, part(0, 5), y, s), nccl.ErrArgument, "recv is as many times as long as send"},
		{nccl.AllGather(c, part(0, 4), x, s), nccl.ErrArgument, "send is this rank's part of recv"},
		{nccl.ReduceScatter(c, x, raw(5, nccl.Float32), nccl.Sum, s), nccl.ErrArgument, "send is as many times as long as recv"},
		{nccl.ReduceScatter(c, x, part(8, 12), nccl.Sum, s), nccl.ErrArgument, "recv is this rank's part of send"},
		{nccl.AllToAll(c, part(0, 11), raw(11, nccl.Float32), s), nccl.ErrArgument, "11 elements cannot be shared out among 3 ranks"},
		{nccl.AllToAll(c, x, x, s), nccl.ErrArgument, "no form in place"},
		{nccl.AllToAllV(c, x, y, nil, s), nccl.ErrArgument, "four lists of 3 numbers"},
		{nccl.AllToAllV(c, x, y, &nccl.Counts{Send: four, SendAt: []int{0, 4, 9}, Recv: four, RecvAt: []int{0, 4, 8}}, s), nccl.ErrArgument, "rank 2 would get 4 elements from 9 on of send, which has 12"},
		{nccl.AllToAllV(c, x, y, &nccl.Counts{Send: four, SendAt: []int{0, 4, 8}, Recv: []int{4, 3, 4}, RecvAt: []int{0, 4, 8}}, s), nccl.ErrArgument, "this rank gives itself 4 elements and expects 3"},
		{nccl.AllReduceBias(c, x, y, part(0, 3), nccl.Sum, s), nccl.ErrArgument, "bias has 3 elements"},
		{second(c.Split(t.Context(), -2, 0)), nccl.ErrArgument, "color -2"},
		{second(c.Shrink(t.Context(), nil, false)), nccl.ErrArgument, "no rank is left out"},
		{second(c.Shrink(t.Context(), []int{1}, false)), nccl.ErrArgument, "rank 1 is one of those"},
		{second(c.Shrink(t.Context(), []int{0, 0}, false)), nccl.ErrArgument, "each once"},
		{second(c.Grow(t.Context(), 3, nil)), nccl.ErrArgument, "there are 3 already"},
		{second(nccl.NewPreMulSum(c, int16(3))), nccl.ErrArgument, "none of the types"},
		{second(nccl.MemAlloc[int32](c, 0)), nccl.ErrArgument, "0 elements"},
	})
	p, err := nccl.NewPreMulSum(c, float64(2))
	if err != nil {
		t.Fatal(err)
	}
	if err := nccl.AllReduce(c, x, y, p.Op(), s); !errors.Is(err, nccl.ErrArgument) || !strings.Contains(err.Error(), "is one of float64") {
		t.Errorf("an operation of another type: %v", err)
	}
	if err := r.one(func(*rank) error { return nil }); err != nil {
		t.Error(err)
	}
}

func second[T any](_ T, err error) error { return err }

// TestOptions: what cannot be meant is refused, and a GPU's library is not replaced.
func TestOptions(t *testing.T) {
	if launched(t) {
		return
	}
	start := func(o nccl.Options) error {
		c, err := nccl.Init(t.Context(), o)
		return errors.Join(err, c.Close())
	}
	for says, o := range map[string]nccl.Options{
		`no library is called "nickel"`:                  nccl.Options{Library: "nickel"},
		"Options.Timeout of -1ns is negative":            nccl.Options{Timeout: -1},
		"the launcher says 0 of 1":                       nccl.Options{Rank: 3, Size: 4},
		"2 ids for 1 ranks":                              {IDs: make([]nccl.UniqueID, 2), Size: 1},
		"need Options.Rank and Options.Size":             nccl.Options{ID: &nccl.UniqueID{}},
		"set both or none":                               nccl.Options{Config: nccl.Config{MinCTAs: new(3)}},
		"Config.CGAClusterSize of 9: 0 to 8 is possible": nccl.Options{Config: nccl.Config{CGAClusterSize: new(9)}},
	} {
		refused(t, []refusal{{start(o), nccl.ErrArgument, says}})
	}
	t.Setenv(env.NCCL, "iron")
	if err := start(nccl.Options{}); !errors.Is(err, nccl.ErrArgument) || !strings.Contains(err.Error(), "GOSHMEM_NCCL") {
		t.Errorf("%v", err)
	}
	t.Setenv(env.NCCL, "host")
	if err := start(nccl.Options{}); err != nil {
		t.Errorf("the host library: %v", err)
	}
	if os.Getenv("CUDA_VISIBLE_DEVICES") != "" {
		return
	}
	t.Setenv(env.NCCL, "rccl")
	if _, err := gpu.Devices("hip"); err != nil { // there is no GPU of AMD's: then nothing else will do
		if err := start(nccl.Options{}); !errors.Is(err, gpu.ErrNoDevice) {
			t.Errorf("RCCL was asked for, and %v", err)
		}
	}
}

// TestLibraries: all are listed, and why those that are not there are not.
func TestLibraries(t *testing.T) {
	list := nccl.Libraries()
	var names []string
	for _, l := range list {
		names = append(names, l.Name)
		if (l.Err == nil) != (l.Version != "") || l.String() == "" {
			t.Errorf("%+v", l)
		}
	}
	if !slices.Equal(names, []string{"nccl", "rccl", "host"}) || list[2].Err != nil {
		t.Errorf("%v", list)
	}
}

// TestHostSlices: Go slices are buffers on the host library.
func TestHostSlices(t *testing.T) {
	if launched(t) {
		return
	}
	all(t, local(t, "host", options("host")), func(r *rank) error {
		x, y := []float64{1, 2, float64(r.c.Rank())}, make([]float64, 3)
		if err := nccl.AllReduce(r.c, nccl.Host(x), nccl.Host(y), nccl.Sum, r.s); err != nil {
			return err
		}
		if err := r.c.Synchronize(r.ctx, r.s); err != nil {
			return err
		}
		if !slices.Equal(y, []float64{3, 6, 3}) {
			return errors.New("wrong sums")
		}
		return nil
	})
}
