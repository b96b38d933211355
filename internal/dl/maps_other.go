//go:build !linux

package dl

// Mapped lists nothing: nothing is opened here.
func Mapped(names ...string) []string { return nil }
