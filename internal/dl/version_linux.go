//go:build (amd64 || arm64) && !goshmem_static

package dl

// maxOuts is the most integers that a version function stores.
const maxOuts = 4

// ask calls the library's version function; "" if it has none or it refuses.
func (l *Library) ask() string {
	call := l.spec.Version
	if call.Symbol == "" || call.Outs > maxOuts {
		return ""
	}
	fn := dlsym(l.handle, call.Symbol)
	if fn == 0 {
		return ""
	}
	s := Borrow()
	defer s.Return()
	var args [maxOuts]uintptr
	out := OutSlice[int32](s, maxOuts)
	for i := range args {
		args[i] = Addr(&out[i])
	}
	if status := Status(Call(fn, args[:call.Outs]...)); !call.Void && status != 0 {
		return ""
	}
	return call.Format(out[:call.Outs])
}
