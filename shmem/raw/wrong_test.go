package raw_test

import (
	"github.com/goshmem/goshmem/internal/mem"
	"github.com/goshmem/goshmem/shmem"
	"github.com/goshmem/goshmem/shmem/raw"
)

// calls are calls of all kinds on 8 bytes at an address.
func (p *pe) calls(good uintptr) map[string]func(addr uintptr) error {
	return map[string]func(addr uintptr) error{
		"putmem":      func(a uintptr) error { return raw.Putmem(p.w, a, good, 8, p.next()) },
		"putmem_nbi":  func(a uintptr) error { return raw.PutmemNbi(p.w, a, good, 8, p.next()) },
		"getmem":      func(a uintptr) error { return raw.Getmem(p.w, good, a, 8, p.next()) },
		"getmem_nbi":  func(a uintptr) error { return raw.GetmemNbi(p.w, good, a, 8, p.next()) },
		"long_put":    func(a uintptr) error { return raw.LongPut(p.w, a, good, 1, p.next()) },
		"long_p":      func(a uintptr) error { return raw.LongP(p.w, a, 1, p.next()) },
		"long_g":      func(a uintptr) error { _, err := raw.LongG(p.w, a, p.next()); return err },
		"atomic_add":  func(a uintptr) error { return raw.LongAtomicAdd(p.w, a, 1, p.next()) },
		"atomic_swap": func(a uintptr) error { _, err := raw.LongAtomicSwap(p.w, a, 1, p.next()); return err },
		"test":        func(a uintptr) error { _, err := raw.LongTest(p.w, a, raw.CmpEq, 0); return err },
		"wait_until":  func(a uintptr) error { return raw.LongWaitUntil(p.ctx, p.w, a, raw.CmpEq, 0) },
		"put_signal": func(a uintptr) error {
			return raw.PutmemSignal(p.w, good, good, 8, a, 1, raw.SignalSet, p.next())
		},
		"signal_fetch": func(a uintptr) error { _, err := raw.SignalFetch(p.w, a); return err },
		"signal_wait":  func(a uintptr) error { _, err := raw.SignalWaitUntil(p.ctx, p.w, a, raw.CmpEq, 0); return err },
	}
}

// byBytes are the calls to which no alignment matters.
func byBytes(name string) bool { return name == "putmem" || name == "getmem" || name[3:] == "mem_nbi" }

func wrongAddresses(p *pe) {
	freed := p.malloc(4096)
	good, object := p.malloc(8), p.malloc(24)
	p.free(freed)
	private := make([]int64, 1)
	for name, call := range p.calls(good) {
		p.refused(name+" to private memory", call(mem.Address(private)), shmem.ErrBounds)
		p.refused(name+" to nothing", call(0), shmem.ErrBounds)
		p.refused(name+" to the last address", call(^uintptr(0)-7), shmem.ErrBounds)
		p.refused(name+" to freed memory", call(freed), shmem.ErrFreed)
		p.refused(name+" past the end", call(object+24), shmem.ErrFreed)
		p.refused(name+" over the end", call(object+17), shmem.ErrBounds)
		if !byBytes(name) {
			p.refused(name+" misaligned", call(object+1), shmem.ErrArgument)
		}
	}
	p.wrongLocals(good, object, freed)
	_, err := raw.Ptr(p.w, mem.Address(private), p.me)
	p.refused("ptr of private memory", err, shmem.ErrBounds)
	_, err = raw.GetPeerPtrTable(p.w, freed)
	p.refused("table of freed memory", err, shmem.ErrFreed)
	p.barrier()
	p.free(object)
	p.free(good)
}

// wrongLocals passes local addresses that can be known to be wrong.
func (p *pe) wrongLocals(good, object, freed uintptr) {
	for name, do := range map[string]func(local uintptr, n int) error{
		"put": func(local uintptr, n int) error { return raw.Putmem(p.w, good, local, n, p.next()) },
		"get": func(local uintptr, n int) error { return raw.GetmemNbi(p.w, local, good, n, p.next()) },
	} {
		p.refused(name+" with nothing", do(0, 8), shmem.ErrArgument)
		p.refused(name+" with freed memory", do(freed, 8), shmem.ErrFreed)
		p.refused(name+" over the end", do(object+20, 8), shmem.ErrBounds)
	}
	private := make([]int64, 2)
	p.refused("a misaligned local side", raw.LongPut(p.w, good, mem.Address(private)+1, 1, p.next()), shmem.ErrArgument)
	if err := raw.Putmem(p.w, good, object, -1, p.next()); err == nil {
		p.Errorf("a negative length is accepted")
	}
}

func wrongPEs(p *pe) {
	good := p.malloc(8)
	for _, pe := range []int{-1, p.n, 1 << 40} {
		p.refused("putmem", raw.Putmem(p.w, good, good, 8, pe), shmem.ErrPE)
		p.refused("getmem", raw.Getmem(p.w, good, good, 8, pe), shmem.ErrPE)
		p.refused("atomic", raw.IntAtomicInc(p.w, good, pe), shmem.ErrPE)
		_, err := raw.Ptr(p.w, good, pe)
		p.refused("ptr", err, shmem.ErrPE)
	}
	p.barrier()
	p.free(good)
}

func wrongTeams(p *pe) {
	for _, c := range [][3]int{{-1, 1, 1}, {p.n, 1, 1}, {0, 1, 0}, {0, 1, p.n + 1}, {0, p.n, 2}} {
		t, err := raw.TeamSplitStrided(p.ctx, p.world(), c[0], c[1], c[2], nil, 0)
		p.refused("split", err, shmem.ErrArgument)
		p.is("what a failed split returns", t, -1, -1)
	}
	_, _, err := raw.TeamSplit2d(p.ctx, nil, 1, nil, 0, nil, 0)
	p.refused("rows of no team", err, shmem.ErrNotMember)
}
