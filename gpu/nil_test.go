package gpu_test

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/goshmem/goshmem/gpu"
)

// TestNil: calls on nothing, and with nothing for all arguments, have errors.
func TestNil(t *testing.T) {
	for _, v := range []any{
		(*gpu.Device)(nil), (*gpu.Stream)(nil), (*gpu.Event)(nil), (*gpu.Graph)(nil), (*gpu.Module)(nil),
		(*gpu.Function)(nil), (*gpu.TritonKernel)(nil), gpu.Slice[float64]{},
	} {
		each(reflect.ValueOf(v), func(name string, err any) {
			if e, ok := err.(error); !ok && err != nil || name != "Close" && ok && !errors.Is(e, gpu.ErrArgument) || name != "Close" && name != "On" && err == nil {
				t.Errorf("%T, %s: %v", v, name, err)
			}
		})
	}
}

// each calls the methods of a value that return an error, with zero arguments, and passes on
// the error or what the method has panicked with.
func each(v reflect.Value, tell func(name string, err any)) {
	for i := range v.NumMethod() {
		m := v.Method(i)
		kind := m.Type()
		if n := kind.NumOut(); n == 0 || kind.Out(n-1) != reflect.TypeFor[error]() {
			continue
		}
		args := make([]reflect.Value, kind.NumIn())
		for k := range args {
			args[k] = reflect.Zero(kind.In(k))
		}
		call := m.Call
		if kind.IsVariadic() {
			call = m.CallSlice
		}
		func() {
			name := v.Type().Method(i).Name
			defer func() {
				if p := recover(); p != nil {
					tell(name, p)
				}
			}()
			out := call(args)
			tell(name, out[len(out)-1].Interface())
		}()
	}
}

// TestNilContext: no context is one that has no end of its own.
func TestNilContext(t *testing.T) {
	t.Setenv("GOSHMEM_TIMEOUT", "10ms")
	d, err := gpu.Open("host")
	if err != nil {
		t.Fatal(err)
	}
	s, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	x, err := gpu.Alloc[uint64](d, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	var none context.Context
	for name, wait := range map[string]func(e *gpu.Event) error{
		"stream": func(*gpu.Event) error { return s.Synchronize(none) },
		"event":  func(e *gpu.Event) error { return e.Synchronize(none) },
		"device": func(*gpu.Event) error { return d.Synchronize(none) },
	} {
		if err := errors.Join(x.Set(0, 0), s.WaitValue(x, 0, gpu.CompareEQ, 1)); err != nil {
			t.Fatal(err)
		}
		e, err := s.Record()
		if err != nil {
			t.Fatal(err)
		}
		if err := wait(e); !errors.Is(err, gpu.ErrTimeout) {
			t.Errorf("%s: %v", name, err)
		}
		if err := errors.Join(x.Set(0, 1), s.Synchronize(t.Context()), e.Close()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
