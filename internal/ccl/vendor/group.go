package vendor

import (
	"github.com/goshmem/goshmem/internal/ccl"
	"github.com/goshmem/goshmem/nccl/raw"
)

// GroupStart opens a group on this thread.
func (l *library) GroupStart() error {
	if err := l.raw.GroupStart(); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	thread := ccl.Thread()
	g := l.groups[thread]
	if g == nil {
		g = &group{}
		l.groups[thread] = g
	}
	g.depth++
	return nil
}

// GroupEnd starts what the group has.
func (l *library) GroupEnd() error {
	err := l.raw.GroupEnd()
	l.ended()
	return err
}

// GroupSimulate ends the group without doing its work. A group that cannot be simulated
// is left open: the caller ends it.
func (l *library) GroupSimulate() (float64, error) {
	if err := l.raw.Need("ncclGroupSimulateEnd"); err != nil {
		return -1, err
	}
	info, err := l.raw.GroupSimulateEnd()
	l.ended()
	return float64(info.EstimatedTime), err
}

// ended gives back what the outermost group of this thread had.
func (l *library) ended() {
	l.mu.Lock()
	defer l.mu.Unlock()
	g := l.groups[ccl.Thread()]
	if g == nil || g.depth == 0 {
		return
	}
	if g.depth--; g.depth == 0 {
		for _, d := range g.descs {
			d.Free()
		}
		g.descs = g.descs[:0]
	}
}

// until keeps descriptors until the library has read them.
func (l *library) until(d *raw.Descs) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if g := l.groups[ccl.Thread()]; g != nil && g.depth > 0 {
		g.descs = append(g.descs, d)
		return
	}
	d.Free()
}
