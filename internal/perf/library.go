package perf

import (
	"context"
	"crypto/rand"

	"github.com/goshmem/goshmem/internal/ccl"
	ccLhost "github.com/goshmem/goshmem/internal/ccl/host"
	"github.com/goshmem/goshmem/internal/device"
	devicehost "github.com/goshmem/goshmem/internal/device/host"
	"github.com/goshmem/goshmem/internal/mem"
	"github.com/goshmem/goshmem/launch"
	"github.com/goshmem/goshmem/shmem"
	"time"
	"unsafe"
)

var _ = rand.Reader
var _ unsafe.Pointer

// library is package nccl on its host library.
type library struct {
	c       ccl.Comm
	d       *devicehost.Driver
	in, out []float32
}

func (v *vectors) openLibrary(place string) error {
	if place != OnDevice && place != InSlices || v.library != nil {
		return nil
	}
	l, err := ccLhost.New(func(ctx context.Context, p ccLhost.Place) (ccLhost.Exchange, error) {
		return launch.Join(ctx, launch.Job{Family: "nccl", Rank: p.Rank, Size: p.Size, LocalRank: -1, LocalSize: -1, Rendezvous: p.Address, Token: p.Token, Name: p.Name})
	}, time.Minute)
	if err != nil {
		return err
	}
	ids, err := shmem.Alloc[byte](v.ctx, v.w, 128)
	if err != nil {
		return err
	}
	local, err := ids.Local()
	if err != nil {
		return err
	}
	id, err := l.UniqueID()
	if err != nil {
		return err
	}
	copy(local, id[:])
	if err := shmem.Broadcast(v.ctx, v.w.Team(), ids, ids, 0); err != nil {
		return err
	}
	copy(id[:], local)
	d, err := devicehost.Open(1)
	if err != nil {
		return err
	}
	c, err := l.Init(ccl.Init{Device: ccl.Device{Driver: d}, Rank: v.w.MyPE(), Size: v.w.NPEs(), IDs: []ccl.ID{id}})
	if err != nil {
		return err
	}
	x := &library{c: c, d: d}
	for _, to := range []*[]float32{&x.in, &x.out} {
		p, err := d.Alloc(0, MostBytes)
		if err != nil {
			return err
		}
		*to = mem.At[float32](uintptr(p), MostBytes/floatBytes)
	}
	v.library = x
	return nil
}

func (p *part) byLibrary() func() error {
	x := p.library
	call := ccl.Call{Type: ccl.Float32, Send: mem.Address(p.in), Recv: mem.Address(p.out), Count: p.block}
	switch p.op {
	case OpBroadcast:
		call.Kind, call.Count = ccl.Broadcast, p.whole
		if p.w.MyPE() == 0 {
			call.Recv = call.Send
		}
	case OpFCollect:
		call.Kind = ccl.AllGather
	case OpAllToAll:
		call.Kind = ccl.AllToAll
	case OpAllReduce:
		call.Kind, call.Count = ccl.AllReduce, p.whole
	case OpReduceScatter:
		call.Kind = ccl.ReduceScatter
	}
	return func() error {
		if err := x.c.Do(call); err != nil {
			return err
		}
		if done, err := x.d.StreamDone(0, device.Handle(0)); done || err != nil {
			return err
		}
		return x.d.Finish(p.ctx, 0, 0)
	}
}
