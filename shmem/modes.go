package shmem

import "github.com/goshmem/goshmem/internal/engine"

// mode puts something in front of a PE's heap that makes more of what a program does
// wrong show, or leaves it as it is.
type mode func(o Options, h engine.Heap) (engine.Heap, error)

// modes are all of them, the one next to the engine first.
func modes() []mode {
	return []mode{networked, wrapped, weakened, faulty}
}

// inModes returns what a world gets in place of h.
func (o Options) inModes(h engine.Heap) (engine.Heap, error) {
	for _, put := range modes() {
		var err error
		if h, err = put(o, h); err != nil {
			return nil, err
		}
	}
	return h, nil
}

// wrapped is the mode of this package's own tests.
func wrapped(o Options, h engine.Heap) (engine.Heap, error) {
	if o.wrap != nil {
		h = o.wrap(h)
	}
	return h, nil
}
