//go:build !linux

package ccl

import (
	"bytes"
	"runtime"
	"strconv"
)

// Thread is the number of the goroutine, which in a group has its thread for itself. Go
// tells it in stack traces only.
func Thread() int {
	var b [32]byte
	text := b[:runtime.Stack(b[:], false)]
	fields := bytes.Fields(text)
	if len(fields) < 2 {
		return 0
	}
	n, err := strconv.Atoi(string(fields[1]))
	if err != nil {
		return 0 // the trace has another form: groups of several goroutines would be one
	}
	return n
}
