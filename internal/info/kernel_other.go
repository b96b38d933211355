//go:build !linux

package info

// ask has nothing to add: process PEs run on Linux only, and what the other
// fields tell matters to them alone.
func (k *Kernel) ask() {}

// Usable is asked about files that no other system has.
func Usable(string) bool { return false }
