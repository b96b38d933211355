package ipc

import (
	"runtime"
	"time"
	"unsafe"

	"github.com/goshmem/goshmem/internal/device"
	devicehost "github.com/goshmem/goshmem/internal/device/host"
	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/mem"
	"github.com/goshmem/goshmem/internal/reduce"
)

// hostKernels are the kernels for devices of the host: those of package kernels' ipc.cu,
// block by block.
func hostKernels() map[string]devicehost.Kernel {
	list := map[string]devicehost.Kernel{
		"ipc_put":  {Params: []uintptr{8, 8, 8}, Run: hostPut},
		"ipc_amo":  {Params: []uintptr{unsafe.Sizeof(amoJob{})}, Run: hostAtomic},
		"ipc_wait": {Params: []uintptr{unsafe.Sizeof(waitJob{})}, Run: hostWait},
	}
	for name, run := range map[string]func(*party){"ipc_barrier": (*party).barrier, "ipc_meet": (*party).meet, "ipc_exchange": (*party).exchange, "ipc_reduce": (*party).reduce} {
		list[name] = devicehost.Kernel{Params: []uintptr{unsafe.Sizeof(job{})}, Run: func(b devicehost.Block) {
			k := newParty(devicehost.Arg[job](b, 0), b.Index[0])
			k.enter()
			run(k)
			k.leave()
		}}
	}
	return list
}

// party is a block of a kernel that meets the same block of other PEs.
type party struct {
	job
	block  int
	turn   []uint64 // by member: how often this block has met that one's
	lo, n  uintptr  // the chunk
	worked reduce.Scratch
}

func newParty(j job, block uint32) *party {
	k := &party{job: j, block: int(block), turn: make([]uint64, j.size)}
	k.lo = uintptr(j.chunk) * uintptr(block)
	if k.lo < uintptr(j.bytes) {
		k.n = min(uintptr(j.bytes)-k.lo, uintptr(j.chunk))
	}
	for i := range k.turn {
		k.turn[i] = mem.Load64(k.met(k.sent, i))
	}
	return k
}

func (k *party) member(i int) int { return int(k.first) + i*int(k.stride) }

// base is where member i's memory is, plus an offset.
func (k *party) at(i int, off uint64) unsafe.Pointer {
	table := pointer(device.Ptr(k.bases))
	return pointer(device.Ptr(mem.Load64(unsafe.Add(table, k.member(i)*word)) + off))
}

func (k *party) own(off uint64) unsafe.Pointer { return k.at(int(k.me), off) }

// met is the own word about member i in a table by block and PE.
func (k *party) met(table uint64, i int) unsafe.Pointer {
	return k.own(table + uint64(k.block*int(k.pes)+k.member(i))*word)
}

func (k *party) enter() { mem.Add64(k.own(k.head+headEntered), 1) }

func (k *party) leave() {
	for i, n := range k.turn {
		mem.Store(k.met(k.sent, i), n)
	}
	mem.Add64(k.own(k.head+headLeft), 1)
}

// others calls f for the other members, each PE beginning with another one.
func (k *party) others(f func(i int)) {
	for d := 1; d < int(k.size); d++ {
		f((int(k.me) + d) % int(k.size))
	}
}

// await waits until done says so, or until what waits is told to give up.
func (k *party) await(done func() bool) { hold(k.own(k.head+headAbort), done) }

const (
	hostLooks = 200 // before others get the core
	hostNap   = 50 * time.Microsecond
	hostLong  = 5000 // looks, after which it is slept in between
)

func hold(abort unsafe.Pointer, done func() bool) {
	for looks := 1; !done() && mem.Load64(abort) == 0; looks++ {
		switch {
		case looks > hostLong:
			time.Sleep(hostNap)
		case looks%hostLooks == 0:
			runtime.Gosched()
		default:
			mem.Pause()
		}
	}
}

// meet tells the same block of all members that this one has come, and waits for them.
func (k *party) meet() {
	mem.Release()
	k.others(func(i int) {
		k.turn[i]++
		mem.Store(k.at(i, k.came+uint64(k.block*int(k.pes)+int(k.self))*word), k.turn[i])
	})
	k.others(func(i int) {
		word := k.met(k.came, i)
		k.await(func() bool { return int64(mem.Load64(word)-k.turn[i]) >= 0 })
	})
}

// barrier meets at the words that streams write and wait for too.
func (k *party) barrier() {
	due := make([]uint64, k.size)
	k.others(func(i int) {
		theirs := k.at(i, k.flags+uint64(k.self)*word)
		due[i] = mem.Load64(theirs) + 1
		mem.Store(theirs, due[i])
	})
	k.others(func(i int) {
		mine := k.own(k.flags + uint64(k.member(i))*word)
		k.await(func() bool { return int64(mem.Load64(mine)-due[i]) >= 0 })
	})
}

func (k *party) gives(i int) bool {
	switch k.kind {
	case jobBroadcast:
		return k.me == k.root
	case jobReduce:
		return i == int(k.root)
	}
	return true
}

// send puts the chunk into the rooms of all members that get it.
func (k *party) send() {
	k.others(func(i int) {
		if !k.gives(i) {
			return
		}
		src := k.src
		if k.scatters() {
			src += uint64(i) * k.bytes
		}
		to := k.at(i, k.room+(k.turn[i]+1)&1*k.half+uint64(k.me)*k.part)
		copyBytes(unsafe.Add(to, k.lo), unsafe.Add(k.own(src), k.lo), k.n)
	})
}

// from is where the chunk of member i is found after the meeting.
func (k *party) from(i int) unsafe.Pointer {
	if k.staged != 0 && i != int(k.me) {
		return unsafe.Add(k.own(k.room+k.turn[i]&1*k.half+uint64(i)*k.part), k.lo)
	}
	src := k.src
	switch {
	case k.within != 0:
		src = k.dst + uint64(i)*k.bytes
	case k.scatters():
		src += uint64(k.me) * k.bytes
	}
	return unsafe.Add(k.at(i, src), k.lo)
}

// first is the meeting after which the data of others can be read, last the one after
// which it may be changed.
func (k *party) open() {
	if k.staged != 0 {
		k.send()
	}
	k.meet()
}

func (k *party) close() {
	if k.staged == 0 {
		k.meet()
	}
}

func (k *party) exchange() {
	k.open()
	dst := unsafe.Add(k.own(k.dst), k.lo)
	if k.kind == jobBroadcast {
		copyBytes(dst, k.from(int(k.root)), k.n)
	} else {
		for i := range int(k.size) {
			copyBytes(unsafe.Add(dst, uintptr(i)*uintptr(k.bytes)), k.from(i), k.n)
		}
	}
	k.close()
}

// section is where a member's share of the chunk begins.
func (k *party) section(i int) uintptr {
	each := ((k.n+uintptr(k.size)-1)/uintptr(k.size) + 15) &^ 15
	return min(uintptr(i)*each, k.n)
}

func (k *party) reduce() {
	k.open()
	begin, end := uintptr(0), k.n
	shared := k.staged == 0 && k.kind == jobAllReduce
	if shared {
		begin, end = k.section(int(k.me)), k.section(int(k.me)+1)
	}
	if k.kind != jobReduce || k.me == k.root {
		k.fold(begin, end)
	}
	if shared {
		k.meet()
		k.others(func(i int) {
			at := k.section(i)
			dst := k.dst + uint64(k.lo+at)
			copyBytes(k.own(dst), k.at(i, dst), k.section(i+1)-at)
		})
	}
	k.close()
}

// fold combines a part of the chunk.
func (k *party) fold(begin, end uintptr) {
	if begin == end {
		return
	}
	sources := make([]unsafe.Pointer, k.size)
	for i := range sources {
		sources[i] = unsafe.Add(k.from(i), begin)
	}
	t := k.elemType()
	reduce.Fold(t, reduce.Op(k.op), unsafe.Add(k.own(k.dst), k.lo+begin), sources, int((end-begin)/t.Size()), &k.worked)
}

func copyBytes(dst, src unsafe.Pointer, n uintptr) {
	if dst != src {
		copy(unsafe.Slice((*byte)(dst), n), unsafe.Slice((*byte)(src), n))
	}
}

func hostPut(b devicehost.Block) {
	if b.Index[0] == 0 {
		copyBytes(pointer(devicehost.Arg[device.Ptr](b, 0)), pointer(devicehost.Arg[device.Ptr](b, 1)), devicehost.Arg[uintptr](b, 2))
	}
}

func hostAtomic(b devicehost.Block) {
	w := devicehost.Arg[amoJob](b, 0)
	old := engine.AMO{Kind: engine.AMOKind(w.kind), Width: uint8(w.width), Float: w.real != 0, Value: w.value, Cond: w.cond}.Do(pointer(device.Ptr(w.at)))
	if w.result != 0 {
		mem.Store(pointer(device.Ptr(w.result)), old)
	}
}

func hostWait(b devicehost.Block) {
	w := devicehost.Arg[waitJob](b, 0)
	k := newParty(w.job, 0)
	k.enter()
	at := k.own(w.at)
	k.await(func() bool { return holds(int64(mem.Load64(at)), int64(w.value), engine.Compare(w.compare)) })
	mem.Add64(k.own(k.head+headLeft), 1)
}

// holds compares a word as WaitOn says.
func holds(a, b int64, c engine.Compare) bool {
	switch c {
	case engine.CompareEQ:
		return a == b
	case engine.CompareNE:
		return a != b
	case engine.CompareGT:
		return a > b
	case engine.CompareGE:
		return a >= b
	case engine.CompareLT:
		return a < b
	}
	return a <= b
}
