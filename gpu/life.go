package gpu

import "sync/atomic"

// life is that of an object which is closed once.
type life struct{ over atomic.Bool }

// end says whether this call is the one that ends it.
func (l *life) end() bool { return !l.over.Swap(true) }

func (l *life) ended() bool { return l.over.Load() }
