package device

// Caller is the ability of a driver to call into a library that is built on its own.
type Caller interface {
	// Call calls the C function at fn with words as its arguments, and returns the word
	// that it returns. dev is current on the thread meanwhile, which is held.
	Call(dev int, fn uintptr, args ...uintptr) (uintptr, error)
}
