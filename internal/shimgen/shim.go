package main

import (
	"bytes"
	"fmt"
	"strings"
)

// mark begins files that are not Go.
const mark = " Made by internal/shimgen from its table.txt: edit that.\n"

// shimHead begins the shim.
const shimHead = `
// The shim over rocSHMEM: one C function for each of its functions that goshmem calls. The
// library is a static archive with device code in it, so that somebody has to link it into
// what can be opened at run time; this is all that the file is for. Nothing here checks
// anything: that is done in Go, where a mistake is an error and not the end of the process.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include <hip/hip_runtime.h>
#include <rocshmem/rocshmem.hpp>

#include "about.hpp"

using namespace rocshmem;

namespace {

// context is what reductions take; it exists from start on.
[[maybe_unused]] rocshmem_ctx_t context{};

// device is the GPU of this process, -1 until set_device.
int device = -1;

// Pin makes it current for a call: HIP has a current device for each thread, and Go moves
// calls between threads.
struct Pin {
	int before = -1;
	Pin() {
		if (device < 0) return;
		if (hipGetDevice(&before) != hipSuccess || before == device || hipSetDevice(device) != hipSuccess) before = -1;
	}
	~Pin() {
		if (before >= 0) (void)hipSetDevice(before);
	}
};

} // namespace

#pragma GCC visibility push(default)

extern "C" {

`

// shim is the C++ source.
func (t *table) shim() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "//%s%s", mark, shimHead)
	fmt.Fprintf(&b, "int goshmem_rocshmem_table(void) { return %d; }\n\n", t.hash)
	for _, f := range t.exported() {
		if f.probed() {
			fmt.Fprintf(&b, "#ifdef HAVE_%s\n", f.name)
		}
		fmt.Fprintf(&b, "%s {\n\tPin pin;\n%s}\n", f.signature(), f.body())
		if f.probed() {
			b.WriteString("#endif\n")
		}
		b.WriteString("\n")
	}
	b.WriteString("} // extern \"C\"\n\n#pragma GCC visibility pop\n")
	return b.Bytes()
}

func (f function) body() string {
	if len(f.own) > 0 {
		return "\t" + strings.Join(f.own, "\n\t") + "\n"
	}
	call := f.library() + "(" + list(f.params, func(p param) string { return into(f.t.roles[p.role].give, p.name) }) + ")"
	if f.returns == "" {
		return "\t" + call + ";\n"
	}
	return "\treturn " + into(f.result().give, call) + ";\n"
}

// probes is the list of what CMake looks for, each with an expression that compiles if it
// is there.
func (t *table) probes() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "#%s\nset(PROBES", mark)
	for _, f := range t.all() {
		if f.probed() && f.theirs() {
			fmt.Fprintf(&b, " %s", f.name)
		}
	}
	b.WriteString(")\n")
	for _, f := range t.all() {
		if f.probed() && f.theirs() {
			fmt.Fprintf(&b, "set(PROBE_%s \"%s (*probe)(%s) = &rocshmem::%s;\")\n", f.name, f.result().library, f.types(), f.library())
		}
	}
	return b.Bytes()
}

// types are those of its arguments in rocSHMEM.
func (f function) types() string {
	return list(f.params, func(p param) string { return f.t.roles[p.role].library })
}

// recorderHead begins the library that records.
const recorderHead = `
// A library with the functions of rocSHMEM that the shim calls, each of which writes down
// its name and its arguments: the shim is linked with it in tests.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <type_traits>

#include <hip/hip_runtime.h>
#include <rocshmem/rocshmem.hpp>

#include "recorder.hpp"

namespace rocshmem {

`

// recorder is a library that has what the shim calls and records it.
func (t *table) recorder() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "//%s%s", mark, recorderHead)
	for _, f := range t.all() {
		if !f.theirs() || f.byHand() {
			continue
		}
		params := list(f.params, func(p param) string { return declare(f.t.roles[p.role].library, p.name) })
		words := list(f.params, func(p param) string { return "word(" + p.name + ")" })
		fmt.Fprintf(&b, "%s(%s) { return record<%s>(%q, {%s}); }\n", declare(f.result().library, f.library()), params, f.result().library, f.name, words)
	}
	b.WriteString("\n} // namespace rocshmem\n")
	return b.Bytes()
}
