package dl

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// witness is which functions of which libraries have done their work in this process,
// if somebody wants to know.
var witness struct {
	on atomic.Bool
	sync.Mutex
	done map[string]map[string]bool // by library
}

// Watch has calls of Done remembered from now on, and those before forgotten. Tests ask
// for it, to say afterwards what has really been called on a machine.
func Watch() {
	witness.Lock()
	defer witness.Unlock()
	witness.done = map[string]map[string]bool{}
	witness.on.Store(true)
}

// Done says that a function of the library was called and did what it was asked to. It
// does nothing unless Watch has been called.
func (l *Library) Done(function string) {
	if witness.on.Load() {
		l.remember(function)
	}
}

func (l *Library) remember(function string) {
	witness.Lock()
	defer witness.Unlock()
	if witness.done[l.spec.Name] == nil {
		witness.done[l.spec.Name] = map[string]bool{}
	}
	witness.done[l.spec.Name][function] = true
}

// Witnessed lists the functions that have done their work since Watch, by the name of
// their library, in order.
func Witnessed() map[string][]string {
	witness.Lock()
	defer witness.Unlock()
	list := map[string][]string{}
	for library, functions := range witness.done {
		list[library] = slices.Sorted(maps.Keys(functions))
	}
	return list
}
