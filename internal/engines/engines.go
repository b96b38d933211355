// Package engines lists the engines that are compiled in, and chooses one.
package engines

import (
	"fmt"
	"strings"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/engine/host"
)

// All returns the compiled-in engines, best first.
func All() []engine.Engine {
	return []engine.Engine{host.Engine{}}
}

// Local returns the engine that runs PEs as goroutines.
func Local() host.Engine { return host.Engine{} }

// Choose returns the engine called name, or the best that can run here if name
// is empty, and why. An engine that was asked for and cannot run is an error:
// nothing falls back in silence.
func Choose(name string, all []engine.Engine) (engine.Engine, string, error) {
	var can, cannot []string
	for _, e := range all {
		v := e.Probe()
		switch {
		case v.OK && (name == "" || name == e.Name()):
			return e, reason(name, v.Reason, cannot), nil
		case name == e.Name():
			cannot = append([]string{v.Reason}, cannot...)
		case v.OK:
			can = append(can, e.Name())
		default:
			cannot = append(cannot, e.Name()+": "+v.Reason)
		}
	}
	if name != "" && len(cannot) == 0 {
		cannot = []string{"there is no such engine"}
	}
	what := "no engine can run here"
	if name != "" {
		what = fmt.Sprintf("engine %s was asked for but cannot run", name)
	}
	err := fmt.Errorf("%s: %s", what, strings.Join(cannot, "; "))
	if len(can) > 0 {
		err = fmt.Errorf("%w; engines that can: %s", err, strings.Join(can, ", "))
	}
	return nil, "", err
}

func reason(asked, why string, cannot []string) string {
	if asked != "" {
		return "asked for; " + why
	}
	if len(cannot) == 0 {
		return "best that can run; " + why
	}
	return "best that can run; " + why + " (" + strings.Join(cannot, "; ") + ")"
}
