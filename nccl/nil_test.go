package nccl_test

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/nccl"
)

// TestNil: calls on nothing, and with nothing for all arguments, have errors or do nothing.
func TestNil(t *testing.T) {
	if launched(t) {
		return
	}
	var c *nccl.Comm
	var none context.Context
	x := nccl.Host([]float32{1})
	for _, v := range []any{c, (*nccl.Registration)(nil), (*nccl.Window)(nil), (*nccl.PreMulSum)(nil), (*nccl.Memory[int8])(nil)} {
		all := reflect.ValueOf(v)
		for i := range all.NumMethod() {
			name := all.Type().Method(i).Name
			kind := all.Method(i).Type()
			if n := kind.NumOut(); n == 0 || kind.Out(n-1) != reflect.TypeFor[error]() || promoted(v, name) {
				continue
			}
			err := calm(func() error { return zeros(all.Method(i)) })
			if ends := name == "Close" || name == "Abort"; ends && err != nil || !ends && !errors.Is(err, nccl.ErrArgument) {
				t.Errorf("%T, %s: %v", v, name, err)
			}
		}
	}
	for name, call := range map[string]func() error{
		"group":         func() error { return nccl.Group(nil) },
		"simulate":      func() error { return second(nccl.Simulate(nil)) },
		"all-reduce":    func() error { return nccl.AllReduce(c, x, x, nccl.Sum, nil) },
		"barrier":       func() error { return nccl.Barrier(c, nil) },
		"signal":        func() error { return nccl.Signal(c, 0, nil) },
		"wait":          func() error { return nccl.WaitSignals(c, nil, nil, nil) },
		"put":           func() error { return nccl.PutSignal(c, x, 0, nil, 0, nil) },
		"register":      func() error { return second(nccl.Register(c, x)) },
		"window":        func() error { return second(nccl.NewWindow(none, c, x, 0)) },
		"alloc":         func() error { return second(nccl.MemAlloc[int8](c, 1)) },
		"pre-mul-sum":   func() error { return second(nccl.NewPreMulSum(c, 1.5)) },
		"pre-mul-sum 2": func() error { return second(nccl.NewPreMulSumAt(c, gpu.Slice[int8]{})) },
	} {
		if err := calm(call); !errors.Is(err, nccl.ErrArgument) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := calm(func() error { c.AbortOn(t.Context())(); return nil }); err != nil {
		t.Errorf("abort on: %v", err)
	}
}

// promoted says whether a method of memory is one of package gpu's.
func promoted(v any, name string) bool {
	_, memory := v.(*nccl.Memory[int8])
	return memory && name != "Close"
}

// zeros calls a method with zero arguments and returns its error.
func zeros(m reflect.Value) error {
	args := make([]reflect.Value, m.Type().NumIn())
	for k := range args {
		args[k] = reflect.Zero(m.Type().In(k))
	}
	call := m.Call
	if m.Type().IsVariadic() {
		call = m.CallSlice
	}
	out := call(args)
	err, _ := out[len(out)-1].Interface().(error)
	return err
}

// calm makes a panic an error.
func calm(call func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = errors.New("a panic")
		}
	}()
	return call()
}

// TestNilContext: no context is one that has no end of its own.
func TestNilContext(t *testing.T) {
	if launched(t) {
		return
	}
	var none context.Context
	o := options("host")
	d, err := gpu.Open("host")
	if err != nil {
		t.Fatal(err)
	}
	err = calm(func() error {
		comms, err := nccl.InitAll(none, []*gpu.Device{d}, o)
		if err != nil {
			return err
		}
		c := comms[0]
		half, err := c.Split(none, 0, 0)
		return errors.Join(err, c.Synchronize(none, nil), half.Close(), c.Close())
	})
	if err != nil {
		t.Error(err)
	}
	o.ID, o.Size = new(nccl.UniqueID), 1
	if *o.ID, err = nccl.NewUniqueID(o); err != nil {
		t.Fatal(err)
	}
	if err := calm(func() error {
		c, err := nccl.Init(none, o)
		c.AbortOn(none)()
		return errors.Join(err, c.Close())
	}); err != nil {
		t.Error(err)
	}
}
