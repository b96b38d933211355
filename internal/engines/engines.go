// Package engines lists the engines that are compiled in, and chooses one.
package engines

import (
	"slices"
	"strings"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/engine/host"
	"github.com/goshmem/goshmem/internal/engine/ipc"
	"github.com/goshmem/goshmem/internal/engine/nvshmem"
	"github.com/goshmem/goshmem/internal/engine/rocshmem"
)

// All returns the compiled-in engines, best first.
func All() []engine.Engine {
	control := host.Engine{}
	return []engine.Engine{ipc.Engine{Control: control}, nvshmem.Engine{Control: control}, rocshmem.Engine{Control: control}, control}
}

// Host is the name of the engine that every machine has.
const Host = "host"

// Local returns the engine of a name that runs PEs as goroutines; without a name the host
// engine. ok is false if there is none.
func Local(name string) (l engine.Local, ok bool) {
	if name == "" {
		name = Host
	}
	i := slices.IndexFunc(All(), func(e engine.Engine) bool { return e.Name() == name })
	if i < 0 {
		return nil, false
	}
	l, ok = All()[i].(engine.Local)
	return l, ok
}

// Locals are the names that Local knows.
func Locals() string {
	var names []string
	for _, e := range All() {
		if _, ok := e.(engine.Local); ok {
			names = append(names, e.Name())
		}
	}
	return strings.Join(names, " or ")
}

// HostOnly has all engines but the host engine say that they cannot run, and why not.
func HostOnly(all []engine.Engine, why string) []engine.Engine {
	var list []engine.Engine
	for _, e := range all {
		if _, is := e.(host.Engine); !is {
			e = barred{e, why}
		}
		list = append(list, e)
	}
	return list
}

// barred is an engine that must not run.
type barred struct {
	engine.Engine
	why string
}

// Probe says why.
func (b barred) Probe() engine.Verdict { return engine.Verdict{Reason: b.why} }
