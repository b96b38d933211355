//go:build !amd64 || race

package mem

import (
	"sync/atomic"
	"unsafe"
)

func store64(p unsafe.Pointer, v uint64) { atomic.StoreUint64((*uint64)(p), v) }

func store32(p unsafe.Pointer, v uint32) { atomic.StoreUint32((*uint32)(p), v) }

// Release orders earlier stores before later ones: a store-release followed by a
// load-acquire of the same word orders everything across the pair.
func Release() { Full() }
