package dl

import (
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"
)

// maxOuts is the most integers that a version function stores.
const maxOuts = 4

// ask calls the library's version function; "" if it has none or it refuses.
//
// The results are pinned heap memory: the foreign call may grow this goroutine's
// stack, and C would then write to where a stack variable used to be.
func (l *Library) ask() string {
	call := l.spec.Version
	if call.Symbol == "" || call.Outs > maxOuts {
		return ""
	}
	fn := dlsym(l.handle, call.Symbol)
	if fn == 0 {
		return ""
	}
	out := new([maxOuts]int32)
	var pin runtime.Pinner
	pin.Pin(out)
	defer pin.Unpin()
	args := make([]uintptr, call.Outs)
	for i := range args {
		args[i] = uintptr(unsafe.Pointer(&out[i]))
	}
	if status, _, _ := purego.SyscallN(fn, args...); !call.Void && int32(status) != 0 {
		return ""
	}
	return call.Format(out[:call.Outs])
}
