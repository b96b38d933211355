package ipc

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
	"unsafe"

	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/reduce"
	"github.com/goshmem/goshmem/internal/skip"
)

// order is Order in testdata/emulate.cpp.
type order struct {
	What, PEs, Blocks, Elem          int64
	Src, SrcBytes, Dst, DstBytes, Of int64
}

// What a program can be ordered to run.
const (
	runCollective = iota
	runBarrier
	runMeet
	runAtomic
	runWait
)

// emulator is a process that runs the source of the kernels.
type emulator struct {
	*testing.T
	in  io.WriteCloser
	out io.Reader
	layout
}

const emulated = 2 << 20 // bytes of each PE's heap

// emulation builds the program.
func emulation(t *testing.T) string {
	t.Helper()
	cc, err := exec.LookPath("c++")
	if err != nil {
		skip.Now(t, skip.NoCC, "no c++ in PATH")
	}
	source, err := filepath.Abs("../../kernels")
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "emulate")
	out, err := exec.Command(cc, "-std=c++17", "-ffp-contract=off", "-I"+source, "-o", program, "testdata/emulate.cpp", "-lpthread").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// emulate starts it for n PEs.
func emulate(t *testing.T, program string, n int) *emulator {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	c := exec.CommandContext(ctx, program)
	var err error
	e := &emulator{T: t, layout: newLayout(emulated, n, 4, 16<<10)}
	if e.in, err = c.StdinPipe(); err == nil {
		e.out, err = c.StdoutPipe()
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		defer cancel()
		if err := e.in.Close(); err != nil {
			t.Error(err)
		}
		if err := c.Wait(); err != nil {
			t.Errorf("the program has failed: %v", err)
		}
	})
	return e
}

// job is that of a PE in the world.
func (e *emulator) job(pe int) job {
	p := &plane{rank: pe, n: int(e.pes), base: make([]device.Ptr, e.pes), layout: e.layout}
	return (&group{p: p, stride: 1, size: p.n, me: pe}).job()
}

// run has all PEs run a kernel, and returns what is then at Dst.
func (e *emulator) run(o order, jobs any, sources [][]byte) (results [][]byte) {
	e.Helper()
	o.PEs, o.Of = int64(e.pes), int64(e.end)
	var b bytes.Buffer
	for _, v := range []any{o, jobs} {
		if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
			e.Fatal(err)
		}
	}
	for _, s := range sources {
		b.Write(s)
	}
	if _, err := e.in.Write(b.Bytes()); err != nil {
		e.Fatal(err)
	}
	for range o.PEs {
		r := make([]byte, o.DstBytes)
		if _, err := io.ReadFull(e.out, r); err != nil {
			e.Fatal(err)
		}
		results = append(results, r)
	}
	return results
}

// collective runs one and compares what all members have.
func (e *emulator) collective(c *scene, seed int) {
	e.Helper()
	c.size = int(e.pes)
	c.fill(seed)
	src, dst := c.parts()
	kind, _ := jobKind(c.Kind)
	staged := c.Bytes <= e.stage/2/e.pes&^15
	blocks, chunk := shape(c.Bytes, 4096, e.blocks)
	if staged {
		blocks, chunk = stageShape(c.Bytes, e.stage/2/e.pes&^15, e.blocks)
	}
	jobs := make([]job, e.pes)
	for i := range jobs {
		jobs[i] = e.job(i)
		jobs[i].set(kind, &c.Collective, chunk, staged)
	}
	o := order{What: runCollective, Blocks: int64(blocks), Elem: -1, Src: int64(c.Src), SrcBytes: int64(src) * int64(c.Bytes), Dst: int64(c.Dst), DstBytes: int64(dst) * int64(c.Bytes)}
	if jobs[0].reduces() {
		o.Elem = int64(c.Elem)
	}
	for me, got := range e.run(o, jobs, c.src) {
		if want := c.want(me); want != nil && !bytes.Equal(got, want) {
			e.Errorf("%v of %d bytes, %v %v: member %d has %.32x, want %.32x", c.Kind, c.Bytes, c.Op, c.Elem, me, got, want)
		}
	}
}

// TestSource: the kernels that GPUs get do what those in Go do.
func TestSource(t *testing.T) {
	program := emulation(t)
	t.Run("collectives", func(t *testing.T) { sourceCollectives(t, emulate(t, program, 3)) })
	t.Run("in place", func(t *testing.T) { sourceInPlace(t, emulate(t, program, 3)) })
	t.Run("floats", func(t *testing.T) { sourceFloats(emulate(t, program, 2)) })
	t.Run("atomics", func(t *testing.T) { sourceAtomics(t, emulate(t, program, 1)) })
}

// sourceInPlace: the source of each member of an fcollect is its part of dst.
func sourceInPlace(t *testing.T, e *emulator) {
	const n, dst = 20000, 1 << 20
	pes := int(e.pes)
	var want []byte
	parts, jobs := make([][]byte, pes), make([]job, pes)
	blocks, chunk := shape(n, 4096, e.blocks)
	for i := range pes {
		own := bytes.Repeat([]byte{byte(i + 1)}, n)
		want = append(want, own...)
		parts[i] = make([]byte, n*pes)
		copy(parts[i][i*n:], own)
		jobs[i] = e.job(i)
		jobs[i].set(jobFCollect, &engine.Collective{Src: dst + uintptr(i*n), Dst: dst, Bytes: n}, chunk, false)
	}
	o := order{What: runCollective, Blocks: int64(blocks), Elem: -1, Src: dst, SrcBytes: n * int64(pes), Dst: dst, DstBytes: n * int64(pes)}
	for me, got := range e.run(o, jobs, parts) {
		if !bytes.Equal(got, want) {
			t.Errorf("member %d has not got what the members had in their parts", me)
		}
	}
}

func sourceCollectives(t *testing.T, e *emulator) {
	seed := 0
	for _, n := range []uintptr{1, 24, 1001, 2600, 20000} {
		for _, kind := range moves() {
			seed++
			e.collective(&scene{Collective: engine.Collective{Kind: kind, Root: 2, Src: 16, Dst: 1<<20 + uintptr(seed%3), Bytes: n}}, seed)
		}
	}
	for elem := reduce.Int8; elem <= reduce.Float8E5M2; elem++ {
		for op := reduce.Sum; op <= reduce.Xor; op++ {
			for _, n := range []uintptr{3, 100, 1500} {
				if seed++; reduce.Has(elem, op) {
					e.collective(&scene{Collective: engine.Collective{Kind: reductions()[seed%3], Root: 1, Src: elem.Size(), Dst: 1 << 20, Bytes: n * elem.Size(), Elem: elem, Op: op}}, seed)
				}
			}
		}
	}
	jobs := []job{e.job(0), e.job(1), e.job(2)}
	for range 3 {
		e.run(order{What: runMeet, Blocks: 1}, jobs, nil)
		e.run(order{What: runBarrier, Blocks: 1}, jobs, nil)
	}
	for pe, flags := range e.run(order{What: runBarrier, Blocks: 1, Dst: int64(e.flags), DstBytes: 24}, jobs, nil) {
		for other := range 3 {
			if n := binary.LittleEndian.Uint64(flags[8*other:]); pe != other && n != 4 {
				t.Errorf("PE %d has met PE %d %d times, want 4", pe, other, n)
			}
		}
	}
}

// sourceFloats: all pairs of unusual numbers are combined to the bits that Go gives,
// but for which NaN it is.
func sourceFloats(e *emulator) {
	for elem, numbers := range map[reduce.Type][]uint64{
		reduce.Float16:    {0, 0x8000, 1, 0x8001, 0x3ff, 0x400, 0x3c00, 0xbc00, 0x3555, 0x7bff, 0xfbff, 0x7c00, 0xfc00},
		reduce.BFloat16:   {0, 0x8000, 1, 0x7f, 0x80, 0x3f80, 0xbf80, 0x3eab, 0x7f7f, 0xff7f, 0x7f80, 0xff80},
		reduce.Float8E4M3: {0, 0x80, 1, 0x81, 7, 8, 0x38, 0xb8, 0x39, 0x7e, 0xfe},
		reduce.Float8E5M2: {0, 0x80, 1, 0x81, 3, 4, 0x3c, 0xbc, 0x3d, 0x7b, 0xfb, 0x7c, 0xfc},
		reduce.Float32:    {0, 1 << 31, 1, 0x00800000, 0x3f800000, 0xbf800000, 0x3eaaaaab, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000},
		reduce.Float64:    {0, 1 << 63, 1, 0x3ff0000000000000, 0xbff0000000000000, 0x3fd5555555555555, 0x7fefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000},
	} {
		for op := reduce.Sum; op <= reduce.Max; op++ {
			c := &scene{Collective: engine.Collective{Kind: engine.KindAllReduce, Dst: 1 << 20, Elem: elem, Op: op}, size: 2, src: make([][]byte, 2)}
			for _, x := range numbers {
				for _, y := range numbers {
					c.src[0] = append(c.src[0], unsafe.Slice((*byte)(unsafe.Pointer(&x)), elem.Size())...)
					c.src[1] = append(c.src[1], unsafe.Slice((*byte)(unsafe.Pointer(&y)), elem.Size())...)
				}
			}
			c.Bytes = uintptr(len(c.src[0]))
			e.floats(c)
		}
	}
}

// floats compares element by element.
func (e *emulator) floats(c *scene) {
	e.Helper()
	kind, _ := jobKind(c.Kind)
	jobs := []job{e.job(0), e.job(1)}
	for i := range jobs {
		jobs[i].set(kind, &c.Collective, c.Bytes, true)
	}
	o := order{What: runCollective, Blocks: 1, Elem: int64(c.Elem), SrcBytes: int64(c.Bytes), Dst: int64(c.Dst), DstBytes: int64(c.Bytes)}
	got, want, size := e.run(o, jobs, c.src)[0], c.want(0), int(c.Elem.Size())
	for i := 0; i < len(want); i += size {
		a, b := got[i:i+size], want[i:i+size]
		if !bytes.Equal(a, b) && !(notNumber(c.Elem, a) && notNumber(c.Elem, b)) {
			e.Errorf("%v of %v %x and %x: %x, want %x", c.Op, c.Elem, c.src[0][i:i+size], c.src[1][i:i+size], a, b)
		}
	}
}

// notNumber says whether an element is a NaN: its magnitude is beyond the last number's.
func notNumber(t reduce.Type, b []byte) bool {
	var v uint64
	for i, x := range b {
		v |= uint64(x) << (8 * i)
	}
	infinity := map[reduce.Type]uint64{reduce.Float16: 0x7c00, reduce.BFloat16: 0x7f80, reduce.Float8E4M3: 0x7e, reduce.Float8E5M2: 0x7c, reduce.Float32: 0x7f800000, reduce.Float64: 0x7ff << 52}[t]
	return v&(1<<(8*len(b)-1)-1) > infinity
}

// sourceAtomics: atomics, and waits that are over at once.
func sourceAtomics(t *testing.T, e *emulator) {
	for _, width := range []uint8{4, 8} {
		for kind := engine.AMOFetch; kind <= engine.AMOXor; kind++ {
			for _, float := range []bool{false, true} {
				for _, start := range []uint64{0, 5, 1<<63 + 1<<31, 0x4000000040000000} {
					op := engine.AMO{Kind: kind, Width: width, Float: float && kind == engine.AMOAdd, Value: 0x3ff0000040400005, Cond: 5}
					left := start
					want := op.Do(unsafe.Pointer(&left))
					var w amoJob
					w.set(64, op, 128)
					var source [8]byte
					binary.LittleEndian.PutUint64(source[:], start)
					got := e.run(order{What: runAtomic, Blocks: 1, Src: 64, SrcBytes: 8, Dst: 64, DstBytes: 72}, w, [][]byte{source[:]})[0]
					if v, old := binary.LittleEndian.Uint64(got), binary.LittleEndian.Uint64(got[64:]); v != left || old != want {
						t.Errorf("%+v on %#x: left %#x, gave %#x, want %#x and %#x", op, start, v, old, left, want)
					}
				}
			}
		}
	}
	for c := engine.CompareEQ; c <= engine.CompareLE; c++ {
		v := uint64(map[engine.Compare]int64{engine.CompareEQ: -1, engine.CompareNE: 0, engine.CompareGT: -2, engine.CompareGE: -1, engine.CompareLT: 0, engine.CompareLE: -1}[c])
		e.run(order{What: runWait, Blocks: 1, Src: 64, SrcBytes: 8}, waitJob{job: e.job(0), at: 64, value: v, compare: int64(c)}, [][]byte{bytes.Repeat([]byte{255}, 8)})
	}
}
