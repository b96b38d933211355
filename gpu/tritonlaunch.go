package gpu

import (
	"reflect"
	"strings"

	"github.com/goshmem/goshmem/dtype"
	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/triton"
)

// Launch starts the kernel in a stream on a grid of programs along x, y and z, of which a zero
// counts as one. The arguments are the kernel's parameters without constants, in order, as for
// [Function.Launch]; a uintptr is an address. Threads, shared memory and Triton's own arguments
// come from the metadata. A kernel that needs global scratch gets it from the kernel's own
// memory, one piece for each stream, and cannot be captured then. What the metadata does not
// say is the caller's to know: Triton compiles for parameters that are multiples of 16 when it
// has seen such ones, and its cache does not tell (a signature can). Errors: ErrArgument for
// the number, kinds, types, sizes and multiples of arguments. CUDA: cuLaunchKernel; HIP:
// hipModuleLaunchKernel.
func (k *TritonKernel) Launch(s *Stream, grid [3]int, args ...any) error {
	if k == nil {
		return fail(nil, "launch", problem(ErrArgument, "no kernel"))
	}
	l := launches.Get().(*launch)
	defer launches.Put(l)
	if err := k.launch(l, s, grid, args); err != nil {
		return fail(k.m.d, "launch "+k.file.Name, err)
	}
	return nil
}

func (k *TritonKernel) launch(l *launch, s *Stream, grid [3]int, args []any) error {
	if k.ended() {
		return problem(ErrClosed, "the kernel is closed")
	}
	if err := k.check(l, args); err != nil {
		return err
	}
	own := [2]uint64{}
	if k.file.Scratch > 0 {
		p, err := k.room(s, grid)
		if err != nil {
			return err
		}
		own[0] = uint64(p)
	}
	shape := Dims{Grid: grid, Block: [3]int{k.file.Threads}, Shared: k.file.Shared}
	return k.f.launch(l, s, shape, args, own[:k.file.Hidden]...)
}

// check compares arguments with what is known of the parameters.
func (k *TritonKernel) check(l *launch, args []any) error {
	params := k.file.Taken()
	if len(args) != len(params) {
		return problem(ErrArgument, "%d arguments: the kernel has %d parameters%s", len(args), len(params), listed(params))
	}
	for i, p := range params {
		if why := mismatch(p, args[i]); why != "" {
			return problem(ErrArgument, "argument %d is a %T: the parameter%s is %s", i, args[i], named(p), why)
		}
		if p.Aligned <= 1 {
			continue
		}
		if err := l.set(i, k.m.d, hidden(&args[i])); err != nil {
			return problem(err, "argument %d: %v", i, err)
		}
		if l.words[i]%uint64(p.Aligned) != 0 {
			return problem(ErrArgument, "argument %d is %#x: the code of the parameter%s counts on a multiple of %d", i, l.words[i], named(p), p.Aligned)
		}
	}
	return nil
}

// mismatch says what a parameter is if an argument is something else; "" if it fits.
func mismatch(p TritonParam, a any) string {
	_, address := a.(uintptr)
	_, memory := a.(KernelArg)
	switch {
	case p.Kind == triton.Address && !address && !memory, p.Kind == triton.Number && (address || memory):
		return p.Kind.String()
	case p.Type == "" || address:
		return ""
	}
	want := strings.TrimPrefix(p.Type, "*")
	is, known := tritonType(reflect.TypeOf(a)), true
	if memory {
		var of interface{ elements() reflect.Type }
		if of, known = a.(interface{ elements() reflect.Type }); known {
			is = tritonType(of.elements())
		}
	}
	if known && is != plain(want) {
		return p.Type
	}
	return ""
}

// elements is the type of the slice's elements.
func (x Slice[T]) elements() reflect.Type { return reflect.TypeFor[T]() }

// plain is a type of Triton's without what makes no difference to an argument: the sign, and
// how a truth value is stored.
func plain(kind string) string {
	switch kind = strings.Replace(kind, "u", "i", 1); kind {
	case "i1":
		return "i8"
	case "f32":
		return "fp32"
	}
	return kind
}

// tritonType is what Triton calls a type, as plain does; "" if it has none.
func tritonType(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[dtype.Float16]():
		return "fp16"
	case reflect.TypeFor[dtype.BFloat16]():
		return "bf16"
	case reflect.TypeFor[dtype.Float8E4M3]():
		return "fp8e4nv"
	case reflect.TypeFor[dtype.Float8E5M2]():
		return "fp8e5"
	}
	if t == nil {
		return ""
	}
	return map[reflect.Kind]string{
		reflect.Bool: "i8", reflect.Int8: "i8", reflect.Uint8: "i8", reflect.Int16: "i16", reflect.Uint16: "i16",
		reflect.Int32: "i32", reflect.Uint32: "i32", reflect.Int64: "i64", reflect.Uint64: "i64",
		reflect.Float32: "fp32", reflect.Float64: "fp64",
	}[t.Kind()]
}

// named is a parameter's name for a message.
func named(p TritonParam) string {
	if p.Name == "" {
		return ""
	}
	return " " + p.Name
}

// listed is the names of parameters for a message.
func listed(params []TritonParam) string {
	var names []string
	for _, p := range params {
		if p.Name != "" {
			names = append(names, p.Name+" "+p.Type)
		}
	}
	if names == nil {
		return ""
	}
	return ": " + strings.Join(names, ", ")
}

// room is scratch memory for a launch. Work of one stream is done in order, so that its
// launches share a piece. One that has become too small is kept: work may still use it.
func (k *TritonKernel) room(s *Stream, grid [3]int) (device.Ptr, error) {
	d := k.m.d
	h, err := s.On(d)
	if err != nil {
		return 0, err
	}
	captured, err := d.driver().Capturing(d.index, h)
	if err != nil {
		return 0, err
	}
	if captured {
		return 0, problem(ErrUnsupported, "the kernel needs scratch memory for each launch, which a graph would share: launch it outside of a capture")
	}
	n := k.file.Scratch
	for _, g := range grid {
		if g = max(g, 1); n > mostScratch/g {
			return 0, problem(ErrMemory, "%d bytes of scratch memory for each of %v programs", k.file.Scratch, grid)
		}
		n *= max(g, 1)
	}
	return k.piece(s, n)
}

// mostScratch is more than devices have.
const mostScratch = 1 << 40

// piece is a stream's scratch memory, of at least n bytes.
func (k *TritonKernel) piece(s *Stream, n int) (device.Ptr, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	b, ok := k.scratch[s]
	if ok && b.Len() >= n {
		return b.ptr(), nil
	}
	larger, err := Alloc[byte](k.m.d, n)
	if err != nil {
		return 0, err
	}
	if ok {
		k.old = append(k.old, b)
	}
	k.scratch[s] = larger
	return larger.ptr(), nil
}
