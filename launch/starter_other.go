//go:build !linux

package launch

// starter is only good for names of abstract sockets, which are not here.
func starter() string { return "" }
