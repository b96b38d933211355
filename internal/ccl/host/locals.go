package host

import (
	"errors"
	"sync"

	"github.com/goshmem/goshmem/internal/device"
	devicehost "github.com/goshmem/goshmem/internal/device/host"
	"github.com/goshmem/goshmem/internal/engine"
	enginehost "github.com/goshmem/goshmem/internal/engine/host"
)

// locals are worlds of goroutines between their being made by rank 0 and their being taken
// by the others.
type locals struct {
	mu     sync.Mutex
	worlds map[string]*local
}

type local struct {
	heaps []engine.Heap
	taken int
}

// streams says which rank of this process uses which stream for a communicator. Two on one
// stream would wait for each other for ever: the work of one is before that of the other.
type streams struct {
	mu    sync.Mutex
	users map[streamOf]int
}

type streamOf struct {
	world  string
	d      *devicehost.Driver
	index  int
	handle uintptr
}

// user is the rank that uses a stream: the given one, if it is the first.
func (s *streams) user(of streamOf, rank int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users == nil {
		s.users = map[streamOf]int{}
	}
	if first, used := s.users[of]; used {
		return first
	}
	s.users[of] = rank
	return rank
}

// drop ends the uses of a rank.
func (s *streams) drop(world string, rank int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for of, user := range s.users {
		if of.world == world && user == rank {
			delete(s.users, of)
		}
	}
}

func (l *locals) put(name string, heaps []engine.Heap) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.worlds == nil {
		l.worlds = map[string]*local{}
	}
	l.worlds[name] = &local{heaps: heaps}
}

// take gives a rank its heap. The last one takes the world out.
func (l *locals) take(name string, rank int) *enginehost.Heap {
	l.mu.Lock()
	defer l.mu.Unlock()
	w := l.worlds[name]
	if w == nil {
		return nil
	}
	if w.taken++; w.taken == len(w.heaps) {
		delete(l.worlds, name)
	}
	return w.heaps[rank].(*enginehost.Heap)
}

// maps are mappings of other processes' memory, one for all communicators.
type maps struct {
	mu  sync.Mutex
	all map[device.IPCHandle]*mapping
}

type mapping struct {
	base    uintptr
	release func() error
	users   int
}

// get maps what a handle names, or finds it mapped. It is unmapped with its last user.
func (m *maps) get(d *devicehost.Driver, h device.IPCHandle) (base uintptr, release func() error, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	found := m.all[h]
	if found == nil {
		found = &mapping{}
		if found.base, found.release, err = d.MapWhole(h); err != nil {
			return 0, nil, err
		}
		if m.all == nil {
			m.all = map[device.IPCHandle]*mapping{}
		}
		m.all[h] = found
	}
	found.users++
	return found.base, func() error { return m.put(h) }, nil
}

func (m *maps) put(h device.IPCHandle) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	found := m.all[h]
	if found == nil {
		return errors.New("memory of another process is given back twice")
	}
	if found.users--; found.users > 0 {
		return nil
	}
	delete(m.all, h)
	return found.release()
}
