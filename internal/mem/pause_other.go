//go:build !amd64

package mem

// Pause makes a loop that looks at memory wait for a moment, where the machine has an
// instruction for it.
func Pause() {}
