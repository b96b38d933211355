//go:build amd64 || arm64

package dl

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/goshmem/goshmem/internal/skip"
)

func TestCallPassesEveryArgument(t *testing.T) {
	var source strings.Builder
	for n := range MaxWords + 1 {
		source.WriteString(function(fmt.Sprintf("f%d", n), n, 0, 0))
	}
	r := record(t, source.String())
	for n := range MaxWords + 1 {
		args := distinct(n)
		back := Call(r.find(t, fmt.Sprintf("f%d", n)), args...)
		r.check(t, fmt.Sprintf("%d arguments", n), back, args, nil)
	}
}

// TestCallOut: a word comes back beside the result, and it is 0 if C stores none.
func TestCallOut(t *testing.T) {
	r := record(t, "uint64_t word(uint64_t *p, uint64_t v) { *p = v; return 7; }\n"+
		"int half(int *p, int v) { *p = v; return -1; }\nuint64_t nothing(uint64_t *p) { return *p; }\n")
	if word, result := CallOut(r.find(t, "word"), 1<<63|5); word != 1<<63|5 || result != 7 {
		t.Errorf("a word: %#x, %d", word, result)
	}
	minus := int32(-3)
	if word, result := CallOut(r.find(t, "half"), uintptr(uint32(minus))); int32(word) != minus || Status(result) != -1 {
		t.Errorf("an int: %#x, %d", word, Status(result))
	}
	if word, result := CallOut(r.find(t, "nothing")); word != 0 || result != 0 {
		t.Errorf("nothing: %#x, and C saw %#x", word, result)
	}
}

// TestLine: six and seven arguments get there, and calls of both kinds do not disturb each other.
func TestLine(t *testing.T) {
	r := record(t, "uint64_t six(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f) { return a + 10*b + 100*c + 1000*d + 10000*e + 100000*f; }\n"+
		"uint64_t plus(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f, uint64_t g) { return six(a, b, c, d, e, f) + 1000000*g; }\n")
	l, six, plus := NewLine(), r.find(t, "six"), r.find(t, "plus")
	for range 2 {
		if got := l.Call7(plus, 1, 2, 3, 4, 5, 6, 7); got != 7654321 {
			t.Errorf("seven: %d", got)
		}
		if got := l.Call(six, 1, 2, 3, 4, 5, 6); got != 654321 {
			t.Errorf("six: %d", got)
		}
	}
}

// TestCallPair: both words of a small struct come back, and go in.
func TestCallPair(t *testing.T) {
	r := record(t, "struct team { int n, rank, stride; };\n"+
		"struct team turn(struct team t, int by) { struct team r = {t.stride, t.n + by, t.rank}; return r; }\n")
	first, second := CallPair(r.find(t, "turn"), 1|2<<32, 3, 10)
	if first != 3|11<<32 || uint32(second) != 2 {
		t.Errorf("got %#x and %#x", first, second)
	}
}

// The struct is tried in every place among so many integers that registers run out
// before it, after it, and not at all.
func TestCallByValuePassesEveryArgument(t *testing.T) {
	sizes := []int{17, 24, 61, 64, 128}
	var source strings.Builder
	each := func(f func(name string, size, integers, at int)) {
		for _, size := range sizes {
			for _, integers := range []int{4, MaxWords - 16} {
				for at := range integers + 1 {
					f(fmt.Sprintf("f%d_%d_%d", size, integers, at), size, integers, at)
				}
			}
		}
	}
	for _, size := range sizes {
		fmt.Fprintf(&source, "struct s%d { unsigned char bytes[%d]; };\n", size, size)
	}
	each(func(name string, size, integers, at int) { source.WriteString(function(name, integers, size, at)) })
	r := record(t, source.String())
	each(func(name string, size, integers, at int) {
		args, value := distinct(integers), make([]byte, size)
		for i := range value {
			value[i] = byte(i*7 + 3)
		}
		mine := string(value)
		back := CallByValue(r.find(t, name), args[:at], value, args[at:]...)
		r.check(t, name, back, args, []byte(mine))
		if string(value) != mine {
			t.Errorf("%s: C changed its copy, and ours with it", name)
		}
	})
}

func TestStatusIsTheLowerHalf(t *testing.T) {
	r := record(t, "")
	fn := r.find(t, "status")
	for _, want := range []int32{0, 1, -1, -2147483648, 2147483647} {
		if got := Status(Call(fn, uintptr(want))); got != want {
			t.Errorf("status %d, want %d", got, want)
		}
	}
	if got := Status(uintptr(0xdead_beef_ffff_fffe)); got != -2 {
		t.Errorf("status %d with a dirty upper half, want -2", got)
	}
}

func TestTextsGoBothWays(t *testing.T) {
	r := record(t, "")
	s := Borrow()
	defer s.Return()
	pinned, release := PinText(strings.Repeat("x", 100000))
	defer release()
	for addr, want := range map[uintptr]uintptr{s.Text("four"): 4, pinned: 100000} {
		if got := Call(r.find(t, "length"), addr); got != want {
			t.Errorf("C sees %d bytes, want %d", got, want)
		}
	}
	if got := Text(Call(r.find(t, "name")), 100); got != "a name" {
		t.Errorf("text %q", got)
	}
}

func TestMistakesPanic(t *testing.T) {
	for want, f := range map[string]func(){
		"25 words": func() { Call(1, make([]uintptr, 25)...) },
		"26 words": func() { CallByValue(1, make([]uintptr, 5), make([]byte, 128), make([]uintptr, 5)...) },
		"lacks":    func() { Call(0) },
		"16 bytes": func() { CallByValue(1, nil, make([]byte, 16)) },
	} {
		func() {
			defer func() {
				if text := fmt.Sprint(recover()); !strings.Contains(text, want) {
					t.Errorf("panic %q, want one with %q", text, want)
				}
			}()
			f()
		}()
	}
}

func TestAllocations(t *testing.T) {
	if raceBuild {
		skip.Now(t, skip.RaceBuild, "sync.Pool forgets at random under the race detector")
	}
	r := record(t, "struct s128 { char b[128]; };\n"+function("big", 3, 128, 2))
	seven, big, out := r.find(t, "seven"), r.find(t, "big"), r.find(t, "out")
	var id [128]byte
	for what, f := range map[string]func(){
		"Call": func() { Call(seven, 1, 2, 3, 4, 5, 6, 7) },
		"CallByValue": func() {
			CallByValue(big, []uintptr{1, 2}, id[:], 3)
		},
		"Scratch": func() {
			s := Borrow()
			defer s.Return()
			Call(out, 1, Addr(Out[uint64](s)))
			s.Text("a kernel's name")
		},
	} {
		if n := testing.AllocsPerRun(1000, f); n != 0 {
			t.Errorf("%s: %v allocations", what, n)
		}
	}
}

// deep uses up stack, so that the goroutine's has to grow, then calls f.
func deep(n int, f func()) byte {
	var block [512]byte
	block[n%len(block)] = byte(n)
	if n == 0 {
		f()
		return 1
	}
	return deep(n-1, f) + block[(n+1)%len(block)]
}

// TestCallUnderStress: stacks grow and the garbage collector runs between and during
// calls from many goroutines.
func TestCallUnderStress(t *testing.T) {
	r := record(t, "struct s64 { unsigned char b[64]; };\n"+
		"uint64_t big(uint64_t a, struct s64 v, uint64_t b) { uint64_t s = a + 3*b; for (int i = 0; i < 64; i++) s += v.b[i]; return s; }\n")
	seven, out, big := r.find(t, "seven"), r.find(t, "out"), r.find(t, "big")
	var wg sync.WaitGroup
	for g := range uintptr(16) {
		wg.Go(func() {
			for i := range uintptr(100) {
				deep(int(i%40), func() {
					if got := Call(seven, g, i, 3, 4, 5, 6, 7); got != g+2*i+9+16+25+36+49 {
						t.Errorf("seven arguments: %d", got)
					}
					s := Borrow()
					defer s.Return()
					p := OutSlice[uint64](s, 3)
					if Call(out, 3, Addr(&p[0])); p[0] != 1 || p[1] != 2 || p[2] != 3 {
						t.Errorf("out-parameters: %v", p)
					}
					value := [64]byte{0: byte(g), 63: byte(i)}
					if got := CallByValue(big, []uintptr{g}, value[:], i); got != g+3*i+g+i {
						t.Errorf("struct by value: %d", got)
					}
				})
				if i%25 == 0 {
					runtime.GC()
				}
			}
		})
	}
	wg.Wait()
}

// TestResultSurvivesACallback: C calls Go on its own thread, which makes the stack of
// the goroutine grow and move. The result still comes to the right place.
func TestResultSurvivesACallback(t *testing.T) {
	r := record(t, "")
	fn := r.find(t, "call")
	callback := purego.NewCallback(func(v uintptr) uintptr {
		deep(200, func() {})
		return v * 2
	})
	var wg sync.WaitGroup
	for i := range uintptr(20) {
		wg.Go(func() { // a small stack
			if got := Call(fn, callback, i); got != 2*i+1 {
				t.Errorf("%d, want %d", got, 2*i+1)
			}
		})
	}
	wg.Wait()
}

// TestTrampolinePreservesRegisters calls the trampoline from C as the runtime does.
func TestTrampolinePreservesRegisters(t *testing.T) {
	r := record(t, savedRegisters+function("twelve", 12, 0, 0))
	inner := &frame{fn: r.find(t, "twelve"), nstack: 12 - registers}
	args := distinct(12)
	copy(inner.stack[:], args[copy(inner.regs[:], args):])
	if changed := Call(r.find(t, "saved"), trampolineAt, uintptr(unsafe.Pointer(inner))); changed != 0 {
		t.Errorf("registers that C expects to be kept have changed: bits %#x", changed)
	}
	r.check(t, "inner call", inner.result, args, nil)
}
