package host

import (
	"testing"
	"time"
)

// TestYieldEndsOnAlarm: who gives its core away between looks sees the end of the
// world at the next look, however long the core stays away.
func TestYieldEndsOnAlarm(t *testing.T) {
	p := &processes{own: &control{}}
	p.own.alarm.Store(1)
	looks := 0
	if !p.yield(func() bool { looks++; return false }) || looks != 1 {
		t.Errorf("%d looks", looks)
	}
}

// TestYieldEndsWhenSlow: where others take the core for a time slice at each yield,
// sleeping comes soon.
func TestYieldEndsWhenSlow(t *testing.T) {
	p := &processes{own: &control{}}
	looks := 0
	done := p.yield(func() bool {
		looks++
		for slice := time.Now(); time.Since(slice) < 2*yieldLimit; {
		}
		return false
	})
	if done || looks > 4 {
		t.Errorf("ready: %v, after %d looks", done, looks)
	}
}
