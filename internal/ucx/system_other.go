//go:build !linux

package ucx

import (
	"time"
)

// The library is not opened on this system, so that nothing of this is reached.

func mapMemory(n int) ([]byte, error) { return make([]byte, n), nil }

func space(string) (free uint64, writable bool) { return 0, false }

func sleepOn(_ int, longest time.Duration) { time.Sleep(longest) }

func nap(d time.Duration) { time.Sleep(d) }

func quietAborts() {}
