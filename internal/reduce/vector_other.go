//go:build !amd64 || race

package reduce

// vectorFor returns the zero vector: there is only plain Go.
func vectorFor(Type, Op) vector { return vector{} }
