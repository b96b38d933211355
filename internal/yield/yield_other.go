//go:build !linux

// Package yield is for those who look for something again and again.
package yield

import "runtime"

// Core lets another goroutine have the thread, if one wants it.
func Core() { runtime.Gosched() }
