//go:build !linux

package host

import (
	"math"
	"runtime"
	"runtime/debug"
)

// available is what Go's own limit leaves: there is no common way to ask the system.
func available() (free, total uint64) {
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	limit := uint64(debug.SetMemoryLimit(-1))
	if limit == math.MaxInt64 {
		limit = s.Sys + 1<<30
	}
	return limit - min(limit, s.HeapAlloc), limit
}
