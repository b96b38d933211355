//go:build !linux

package machine

func kernel() string { return "" }

func network() string { return "" }
