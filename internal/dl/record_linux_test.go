//go:build amd64 || arm64

package dl

import (
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
)

// recorder is a C library that remembers what its functions were called with.
type recorder struct {
	handle uintptr
	got    []uint64
	bytes  []byte
	stack  *uint64
}

// result is what the recording functions return: all 64 bits matter.
const result = 0xfedcba9876543210

const recording = `#include <stdint.h>
#include <string.h>
uint64_t got[32], stack;
unsigned char bytes[256];
static void begin(void *frame) {
	for (int i = 0; i < 32; i++) got[i] = ~0ull;
	memset(bytes, 0, sizeof bytes);
	stack = (uint64_t)frame % 16;
}
int status(int s) { return s; }
void out(int n, uint64_t *p) { for (int i = 0; i < n; i++) p[i] = i + 1; }
uint64_t length(const char *s) { return strlen(s); }
const char *name(void) { return "a name"; }
uint64_t call(uint64_t (*f)(uint64_t), uint64_t v) { return f(v) + 1; }
uint64_t seven(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f, uint64_t g) {
	return a + 2*b + 3*c + 4*d + 5*e + 6*f + 7*g;
}
`

// function is the text of a C function that records its integers, and the struct of
// size bytes before integer number at, if size is not 0.
func function(name string, integers, size, at int) string {
	var params, body []string
	for i := range integers + 1 {
		if size > 0 && i == at {
			params = append(params, fmt.Sprintf("struct s%d v", size))
			body = append(body, "memcpy(bytes, &v, sizeof v); memset(&v, 1, sizeof v); __asm__ volatile(\"\" :: \"r\"(&v) : \"memory\");")
		}
		if i < integers {
			params = append(params, fmt.Sprintf("uint64_t a%d", i))
			body = append(body, fmt.Sprintf("got[%d] = a%d;", i, i))
		}
	}
	return fmt.Sprintf("uint64_t %s(%s) { begin(__builtin_frame_address(0)); %s return 0x%x; }\n",
		name, strings.Join(params, ", "), strings.Join(body, " "), uint64(result))
}

// record builds the library from more functions.
func record(t testing.TB, functions string) *recorder {
	t.Helper()
	path := compile(t, t.TempDir(), "librecord.so", recording+functions, "-O1", "-fno-omit-frame-pointer")
	handle, err := dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL) // local: every test has one of its own
	if err != nil {
		t.Fatal(err)
	}
	r := &recorder{handle: handle}
	r.got = words(r.find(t, "got"), 32)
	r.bytes = Memory(r.find(t, "bytes"), 256)
	r.stack = &words(r.find(t, "stack"), 1)[0]
	return r
}

func (r *recorder) find(t testing.TB, name string) uintptr {
	t.Helper()
	addr := dlsym(r.handle, name)
	if addr == 0 {
		t.Fatalf("%s is not there", name)
	}
	return addr
}

// check compares what the last call got.
func (r *recorder) check(t *testing.T, what string, back uintptr, args []uintptr, value []byte) {
	t.Helper()
	for i, got := range r.got {
		want := ^uint64(0)
		if i < len(args) {
			want = uint64(args[i])
		}
		if got != want {
			t.Errorf("%s: argument %d is %#x, want %#x", what, i, got, want)
		}
	}
	if string(r.bytes[:len(value)]) != string(value) {
		t.Errorf("%s: struct %x, want %x", what, r.bytes[:len(value)], value)
	}
	if uint64(back) != result || *r.stack != 0 {
		t.Errorf("%s: result %#x with the stack %d bytes off a multiple of 16", what, back, *r.stack)
	}
}

// distinct gives n words that differ from each other in both halves.
func distinct(n int) []uintptr {
	words := make([]uintptr, n)
	for i := range words {
		words[i] = uintptr(0x1111_0000_2222_0000 + uint64(i+1)*0x1_0000_0001)
	}
	return words
}

// words are n words at addr.
func words(addr uintptr, n int) []uint64 { return unsafe.Slice((*uint64)(pointer(addr)), n) }
