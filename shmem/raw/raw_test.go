package raw_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/goshmem/goshmem/shmem"
	"github.com/goshmem/goshmem/shmemtest"
)

// cases are the tests that run in every world; each leaves the heap as it was.
func cases() map[string]func(p *pe) {
	return map[string]func(p *pe){
		"queries": queries, "constants": constants,
		"malloc": mallocFree, "calloc": callocs, "align": aligns, "free": frees, "pointers": pointers, "register": registers, "contexts": contexts,
		"ring": ring, "private memory": privateMemory, "empty": empty, "fence": fence, "quiet": quiet, "signals": signals,
		"split world": splitWorld, "even": evenTeam, "subset": subsetParent, "recursive": recursiveSplit, "invalid team": invalidTeam,
		"translate": translate, "scoping": memberScoping, "sync": syncVisibility, "barrier": barrierOrder, "rows": rows,
		"bytes":   bytes,
		"streams": streams, "team streams": teamStreams, "wrong streams": wrongStreams,
		"wrong waits": wrongWaits, "wrong collectives": wrongCollectives, "wrong root": wrongRoot, "wrong addresses": wrongAddresses, "wrong PEs": wrongPEs, "wrong teams": wrongTeams,
		"families": func(p *pe) { checkFamilies(p, p.w) },
	}
}

// everything runs all cases in one world, in an order that all PEs share.
func everything(t testing.TB, w *shmem.World) {
	all := cases()
	for _, name := range sortedKeys(all) {
		p := newPE(named{t, name}, w)
		all[name](p)
		p.barrier() // what follows must not meet puts of the case before
		if left := w.Leaks(); len(left) > 0 {
			p.Errorf("still allocated: %v", left)
		}
	}
}

var options = shmem.Options{HeapSize: 1 << 20, Timeout: 30 * time.Second}

func TestGoroutines(t *testing.T) {
	for n := 1; n <= 4; n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) { shmemtest.RunWith(t, n, options, everything) })
	}
}

// TestVirtualNodes: some PEs cannot be loaded and stored.
func TestVirtualNodes(t *testing.T) {
	o := options
	o.NodeSize = 2
	shmemtest.RunWith(t, 4, o, everything)
	o.NodeSize, o.Check = 1, shmem.CheckOff
	shmemtest.RunWith(t, 3, o, everything)
}

func TestProcesses(t *testing.T) {
	for n := 1; n <= 4; n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) { shmemtest.RunProcessesWith(t, n, options, everything) })
	}
}
