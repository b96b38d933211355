package failtest_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/goshmem/goshmem/internal/jobtest"
	"github.com/goshmem/goshmem/shmem"
)

func heapRows() []row { return slices.Concat(fullRows(), freedRows()) }

// fullRows are about a heap without room.
func fullRows() []row {
	heap := shmem.Options{HeapSize: 64 << 20}
	return []row{
		{
			fault: "more is allocated than the heap has", others: "a null pointer; Open MPI and SOS print both sizes, SOS twice per PE with the setting, OSSS-UCX prints nothing",
			says: []string{
				"[HOST 0] PE 0: shmem: alloc: symmetric heap exhausted: asked 8589934592 bytes, largest hole 67108864, 0 of 67108864 in use: raise GOSHMEM_HEAP_SIZE or Options.HeapSize",
			},
			localSays: []string{
				"PE 0: shmem: alloc: symmetric heap exhausted: asked 8589934592 bytes, largest hole 67108864, 0 of 67108864 in use: raise GOSHMEM_HEAP_SIZE or Options.HeapSize",
				"PE 1: shmem: alloc: symmetric heap exhausted: asked 8589934592 bytes, largest hole 67108864, 0 of 67108864 in use: raise GOSHMEM_HEAP_SIZE or Options.HeapSize",
			},
			code: 1, options: heap, pe: func(ctx context.Context, w *shmem.World) error {
				_, err := shmem.Alloc[byte](ctx, w, 8<<30)
				return err
			}, local: true, tests: badInput,
		},
		{
			fault: "blocks of 1 MiB are allocated until the heap is full", others: "a null pointer; only SOS prints something",
			ours: "PE 0 says it for all, or each PE itself if PE 0 does not end with it.",
			says: []string{
				"[HOST 0] PE 0: shmem: alloc: symmetric heap exhausted: asked 1048576 bytes, largest hole 0, 67108864 of 67108864 in use: raise GOSHMEM_HEAP_SIZE or Options.HeapSize",
			},
			localSays: []string{
				"PE 0: shmem: alloc: symmetric heap exhausted: asked 1048576 bytes, largest hole 0, 67108864 of 67108864 in use: raise GOSHMEM_HEAP_SIZE or Options.HeapSize",
				"PE 1: shmem: alloc: symmetric heap exhausted: asked 1048576 bytes, largest hole 0, 67108864 of 67108864 in use: raise GOSHMEM_HEAP_SIZE or Options.HeapSize",
			},
			code: 1, options: heap, pe: fill, local: true, tests: badInput,
		},
		{
			fault: "the heap is full, and PE 0 ends with another error",
			says: []string{
				"[HOST 0] PE 0: too small a machine",
				"[HOST 1] PE 1: shmem: alloc: symmetric heap exhausted: asked 1048576 bytes, largest hole 0, 67108864 of 67108864 in use: raise GOSHMEM_HEAP_SIZE or Options.HeapSize",
			},
			code: 1, options: heap, pe: func(ctx context.Context, w *shmem.World) error {
				err := fill(ctx, w)
				if w.MyPE() == 0 {
					err = errors.New("too small a machine")
				}
				return err
			}, local: true,
		},
	}
}

// freedRows are about other misuse of the heap, and about one that there cannot be.
func freedRows() []row {
	return []row{
		{
			fault: "0 elements are allocated", others: "a null pointer, as specified; Open MPI: one that is not null",
			says: []string{
				"[HOST 0] PE 0: shmem: alloc: 0 elements: at least one is needed",
				"[HOST 1] PE 1: shmem: alloc: 0 elements: at least one is needed",
			},
			code: 1, pe: func(ctx context.Context, w *shmem.World) error {
				_, err := shmem.Alloc[int64](ctx, w, 0)
				return err
			}, local: true, tests: badInput,
		},
		{
			fault: "an array is freed twice", others: "Open MPI prints a usage error and goes on; OSSS-UCX crashes; SOS: an error with an address (1)",
			says: []string{
				"[HOST 0] PE 0: shmem: free: freed twice, first at FILE:LINE (allocated in alloc #1, FILE:LINE)",
				"[HOST 1] PE 1: shmem: free: freed twice, first at FILE:LINE (allocated in alloc #1, FILE:LINE)",
			},
			code: 1, pe: func(ctx context.Context, w *shmem.World) error {
				a, err := shmem.Alloc[int64](ctx, w, 8)
				if err != nil {
					return err
				}
				if err := a.Free(ctx); err != nil {
					return err
				}
				return a.Free(ctx)
			}, local: true, tests: badInput,
		},
		{
			fault: "something is freed that was not allocated", others: "an error with an address (Open MPI, SOS); OSSS-UCX crashes",
			ours: "Only an array can be freed, and only the zero value is one that was not allocated.",
			says: []string{
				"[HOST 0] PE 0: shmem: free: the zero value has no memory",
				"[HOST 1] PE 1: shmem: free: the zero value has no memory",
			},
			code: 1, pe: func(ctx context.Context, _ *shmem.World) error { return shmem.Array[int64]{}.Free(ctx) },
			local: true, tests: badInput,
		},
		{
			fault: "an array is used after it was freed",
			says: []string{
				"[HOST 0] PE 0: shmem: p: the array was freed at FILE:LINE (allocated in alloc #1, FILE:LINE)",
			},
			code: 1, pe: func(ctx context.Context, w *shmem.World) error {
				a, err := shmem.Alloc[int64](ctx, w, 8)
				if err != nil {
					return err
				}
				if err := a.Free(ctx); err != nil {
					return err
				}
				return a.P(0, 1, 0)
			}, local: true, tests: badInput,
		},
		{
			fault: "the heaps do not fit into the address space (ulimit -v)",
			says: []string{
				"[HOST 0] shmem: init: map the heap of PE 0 (8589934592 bytes): cannot allocate memory: lower GOSHMEM_HEAP_SIZE, or raise the limit of the address space (ulimit -v)",
			},
			code: 1, program: crowded, tests: []string{"internal/engine/host.TestFailedOpenLeavesNothing"},
		},
	}
}

// TestSaidOnce: PEs that all find the heap full need not all say so.
func TestSaidOnce(t *testing.T) {
	r := find("blocks of 1 MiB are allocated until the heap is full")
	r.n = 4
	for range 10 {
		e := launched(t, r, nil)
		said := 0
		for _, line := range e.lines {
			if strings.HasPrefix(line, "[") && strings.Contains(line, "symmetric heap exhausted: ") {
				said++
			}
		}
		if said != 1 {
			t.Fatalf("said %d times:\n%s", said, strings.Join(e.lines, "\n"))
		}
	}
	jobtest.NoLeftovers(t)
}

// badInput hold the whole table of wrong arguments.
var badInput = []string{"shmem.TestBadInputGoroutines", "shmem.TestBadInputProcesses"}

// fill allocates until there is no room.
func fill(ctx context.Context, w *shmem.World) error {
	for {
		if _, err := shmem.Alloc[byte](ctx, w, 1<<20); err != nil {
			return err
		}
	}
}

// crowded makes a world whose heaps are larger than all that this process may map.
func crowded() {
	const most = 8 << 30
	if err := unix.Setrlimit(unix.RLIMIT_AS, &unix.Rlimit{Cur: most, Max: most}); err != nil {
		fmt.Println(err)
	}
	shmem.MainWith(shmem.Options{HeapSize: most}, ring)
}
