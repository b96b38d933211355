package shmem_test

import (
	"errors"
	"testing"
	"unsafe"

	"github.com/goshmem/goshmem/shmem"
	"github.com/goshmem/goshmem/shmemtest"
)

func TestAddresses(t *testing.T) {
	shmemtest.RunWith(t, 2, shmem.Options{HeapSize: 1 << 20}, func(t testing.TB, w *shmem.World) {
		ctx := t.Context()
		a := must1(shmem.Alloc[int64](ctx, w, 2))(t)
		b := must1(shmem.Alloc[int64](ctx, w, 2))(t)
		first := uintptr(unsafe.Pointer(&must1(a.Local())(t)[0])) // of the heap
		for addr, want := range map[uintptr]bool{0: false, first - 1: false, first: true, first + 1<<20 - 1: true, first + 1<<20: false, ^uintptr(0): false} {
			if got := shmem.IsSymmetric(w, addr); got != want {
				t.Errorf("address %d of the heap is symmetric: %v", int64(addr-first), got)
			}
		}
		if shmem.IsSymmetric(nil, first) {
			t.Error("no world has symmetric memory")
		}
		for _, addr := range []uintptr{0, first - 1, first + 8, first + 256, first + 1<<20} {
			want := shmem.ErrForeign
			if shmem.IsSymmetric(w, addr) {
				want = shmem.ErrFreed
			}
			if err := shmem.FreeAt(ctx, w, addr); !errors.Is(err, want) {
				t.Errorf("free at %d: %v", int64(addr-first), err)
			}
		}
		if err := shmem.FreeAt(ctx, nil, first); !errors.Is(err, shmem.ErrArgument) {
			t.Errorf("free without a world: %v", err)
		}
		must(t, shmem.FreeAt(ctx, w, first+128))
		if _, err := b.At(0); !errors.Is(err, shmem.ErrFreed) {
			t.Errorf("at of an array that was freed at its address: %v", err)
		}
		must(t, shmem.FreeAt(ctx, w, first))
	})
}
