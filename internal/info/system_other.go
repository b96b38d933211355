//go:build !linux

package info

// fill has nothing to add: process PEs run on Linux only, and what the other
// fields tell matters to them alone.
func (s *System) fill(string) {}

// usable is asked about files that no other system has.
func usable(string) bool { return false }
