package mem

import "sync/atomic"

// Full orders every earlier access of this goroutine before every later one.
func Full() {
	var x atomic.Uint32
	x.Store(1)
	x.Load()
}
