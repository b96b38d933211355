package host

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/goshmem/goshmem/internal/ccl"
	"github.com/goshmem/goshmem/internal/device"
	devicehost "github.com/goshmem/goshmem/internal/device/host"
	"github.com/goshmem/goshmem/internal/mem"
	"github.com/goshmem/goshmem/launch"
)

const patience = 20 * time.Second

// meet is what package nccl gives the library.
func meet(ctx context.Context, p Place) (Exchange, error) {
	s, err := launch.Join(ctx, launch.Job{Family: "nccl", Rank: p.Rank, Size: p.Size, LocalRank: -1, LocalSize: -1, Rendezvous: p.Address, Token: p.Token, Name: p.Name})
	if err != nil {
		return nil, err
	}
	return s, nil
}

func newLibrary(t testing.TB, timeout time.Duration) *Library {
	t.Helper()
	l, err := New(meet, timeout)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func newDriver(t testing.TB, devices int) *devicehost.Driver {
	t.Helper()
	d, err := devicehost.Open(devices)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// rank is one of a test, on a device of its own.
type rank struct {
	*Comm
	t    testing.TB
	d    *devicehost.Driver
	me   int
	size int
}

// each makes a communicator of n goroutines and calls f on each of its ranks.
func each(t testing.TB, l *Library, d *devicehost.Driver, n int, f func(r *rank)) {
	t.Helper()
	id, err := l.UniqueID()
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			c, err := l.Init(ccl.Init{Device: ccl.Device{Driver: d, Index: i}, Rank: i, Size: n, IDs: []ccl.ID{id}})
			if err != nil {
				t.Errorf("rank %d: %v", i, err)
				return
			}
			f(&rank{Comm: c.(*Comm), t: t, d: d, me: i, size: n})
			if err := c.Destroy(); err != nil {
				t.Errorf("rank %d: destroy: %v", i, err)
			}
		})
	}
	wg.Wait()
}

// group makes calls in a group.
func (r *rank) group(f func()) error {
	if err := r.l.GroupStart(); err != nil {
		return err
	}
	f()
	return r.l.GroupEnd()
}

// wait waits for a stream.
func (r *rank) wait(stream device.Handle) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return r.d.Finish(ctx, r.device(), stream)
}

// do makes a call and waits for it.
func (r *rank) do(call ccl.Call) error {
	if err := r.Do(call); err != nil {
		return err
	}
	return r.wait(device.Handle(call.Stream))
}

func (r *rank) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Errorf("rank %d: %v", r.me, err)
	}
}

// memory is device memory of n bytes with room around that must stay as it is.
func (r *rank) memory(content []byte) []byte {
	p, err := r.d.Alloc(r.device(), uintptr(len(content)+1))
	if err != nil {
		r.t.Fatal(err)
	}
	b := mem.At[byte](uintptr(p), len(content)+1)[:len(content)]
	copy(b, content)
	return b
}

// free gives memory back.
func (r *rank) free(memories ...[]byte) {
	for _, b := range memories {
		r.must(r.d.Free(r.device(), device.Ptr(mem.Address(b))))
	}
}

// closeDriver finds out whether anything is left.
func closeDriver(t testing.TB, d *devicehost.Driver) {
	t.Helper()
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// noise is random bytes that are small numbers of a type, and the same for the same seed.
func noise(of ccl.Type, n, seed int) []byte {
	r := rand.New(rand.NewPCG(uint64(seed), uint64(of)))
	b := make([]byte, 0, n*int(of.Size()))
	for range n {
		b = append(b, element(of, float64(r.IntN(7))-1)...)
	}
	return b
}

// element is the bytes of a number.
func element(of ccl.Type, x float64) []byte {
	b := make([]byte, of.Size())
	store(of, unsafe.Pointer(&b[0]), x)
	return b
}

// text shows where two results differ.
func text(of ccl.Type, got, want []byte) string {
	for i := 0; i < len(want); i += int(of.Size()) {
		j := i + int(of.Size())
		if string(got[i:j]) != string(want[i:j]) {
			return fmt.Sprintf("element %d is %v, want %v", i/int(of.Size()), load(of, unsafe.Pointer(&got[i])), load(of, unsafe.Pointer(&want[i])))
		}
	}
	return "equal"
}

// on makes a call about Go memory.
func on[T any](call ccl.Call, src, dst []T) ccl.Call {
	call.Send, call.Recv = mem.Address(src), mem.Address(dst)
	call.Held = [3]unsafe.Pointer{unsafe.Pointer(unsafe.SliceData(src)), unsafe.Pointer(unsafe.SliceData(dst))}
	return call
}

// is says whether an error has a code, and is not something else as well.
func is(err, kind error) bool { return errors.Is(err, kind) }

// device is the rank's number of it: processes have one each.
func (r *rank) device() int { return r.Comm.device.Index }

// Do is that of the communicator.
func (r *rank) Do(call ccl.Call) error { return r.Comm.Do(&call) }
