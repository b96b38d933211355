package ccl

import (
	"errors"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/goshmem/goshmem/dtype"
)

type mine float32

func TestTypeOf(t *testing.T) {
	check := func(got Type, size uintptr, want Type) {
		t.Helper()
		if got != want || want != NoType && size != want.Size() {
			t.Errorf("%v of %d bytes, want %v of %d", got, size, want, want.Size())
		}
	}
	is := func(got Type, size uintptr) func(want Type) {
		return func(want Type) { t.Helper(); check(got, size, want) }
	}
	is(TypeOf[int8]())(Int8)
	is(TypeOf[byte]())(Uint8)
	is(TypeOf[int32]())(Int32)
	is(TypeOf[uint32]())(Uint32)
	is(TypeOf[int64]())(Int64)
	is(TypeOf[uint64]())(Uint64)
	is(TypeOf[mine]())(Float32)
	is(TypeOf[float64]())(Float64)
	is(TypeOf[dtype.Float16]())(Float16)
	is(TypeOf[dtype.BFloat16]())(BFloat16)
	is(TypeOf[dtype.Float8E4M3]())(Float8E4M3)
	is(TypeOf[dtype.Float8E5M2]())(Float8E5M2)
	is(TypeOf[bool]())(NoType)
	is(TypeOf[int16]())(NoType)
	is(TypeOf[complex64]())(NoType)
	is(TypeOf[struct{ bits uint16 }]())(NoType)
}

// TestCopy: a copy of a call has all of it.
func TestCopy(t *testing.T) {
	var from, to Call
	fields := reflect.ValueOf(&from).Elem()
	held := [3]unsafe.Pointer{unsafe.Pointer(&from), unsafe.Pointer(&to), unsafe.Pointer(t)}
	for i := range fields.NumField() {
		switch f := fields.Field(i); {
		case f.CanInt():
			f.SetInt(int64(i + 1))
		case f.CanUint():
			f.SetUint(uint64(i + 1))
		case f.Type() == reflect.TypeFor[*Counts]():
			f.Set(reflect.ValueOf(&Counts{}))
		default:
			f.Set(reflect.ValueOf(held))
		}
	}
	if to.Copy(&from); to != from {
		t.Errorf("%+v is copied as %+v", from, to)
	}
}

// TestNumbers holds NCCL's numbers, as its header has them.
func TestNumbers(t *testing.T) {
	for _, c := range []struct{ got, want int }{
		{int(Int8), 0}, {int(Uint8), 1}, {int(Int32), 2}, {int(Uint32), 3}, {int(Int64), 4}, {int(Uint64), 5},
		{int(Float16), 6}, {int(Float32), 7}, {int(Float64), 8}, {int(BFloat16), 9}, {int(Float8E4M3), 10}, {int(Float8E5M2), 11},
		{int(Sum), 0}, {int(Prod), 1}, {int(Max), 2}, {int(Min), 3}, {int(Avg), 4}, {int(UserOps), 5},
		{int(Remote), 6}, {int(InProgress), 7}, {int(Timeout), 8}, {int(WindowSymmetric), 1}, {int(WindowStrict), 2},
	} {
		if c.got != c.want {
			t.Errorf("%d, want %d", c.got, c.want)
		}
	}
}

func TestErrors(t *testing.T) {
	for code := UnhandledCUDA; code < codes; code++ {
		err := error(&Error{Call: "ncclSend", Code: code, Text: "words", Last: "warned"})
		if code.sentinel() == nil || !errors.Is(err, code.sentinel()) {
			t.Errorf("%v is not found", code)
		}
		if text := err.Error(); !strings.HasPrefix(text, "ncclSend: nccl") || !strings.HasSuffix(text, ": words; its last warning: warned") {
			t.Errorf("text %q", text)
		}
	}
	if err := (&Error{Call: "ncclSend", Code: 77}); errors.Unwrap(err) != nil || !strings.Contains(err.Error(), "(77)") {
		t.Errorf("an unknown code: %v", err)
	}
	if err := Unsupported("ncclCommGrow", "needs %s", "2.29"); !errors.Is(err, ErrUnsupported) || err.Error() != "ncclCommGrow: needs 2.29" {
		t.Errorf("unsupported: %v", err)
	}
}

// TestThread: two goroutines that hold their threads differ, and one stays what it is.
func TestThread(t *testing.T) {
	other := make(chan int)
	go func() { other <- locked() }()
	if a, b := locked(), <-other; a == 0 || a == b {
		t.Errorf("threads %d and %d", a, b)
	}
}

// locked is Thread twice on a goroutine that holds its thread until it ends.
func locked() int {
	runtime.LockOSThread()
	first := Thread()
	runtime.Gosched()
	if Thread() != first {
		return 0
	}
	return first
}
