//go:build amd64 && !race

package mem

import "unsafe"

func store64(p unsafe.Pointer, v uint64) { *(*uint64)(p) = v }

func store32(p unsafe.Pointer, v uint32) { *(*uint32)(p) = v }

// Release orders earlier stores before later ones. amd64 keeps that order by itself.
func Release() {}
