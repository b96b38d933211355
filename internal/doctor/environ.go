package doctor

import (
	"slices"
	"strings"

	"github.com/goshmem/goshmem/internal/env"
)

const backendVar = "ROCSHMEM_BACKEND"

func environChecks() []Check {
	return []Check{
		{ID: "env.unknown", Severity: Error, anywhere: true, Looks: "a GOSHMEM_ variable that does not exist is set",
			Why: "a mistyped name must not silently mean the default: every world refuses to start",
			Fix: "correct or unset it", find: unknown},
		{ID: "env.value", Severity: Error, anywhere: true, Looks: "a GOSHMEM_ variable, or ROCSHMEM_HEAP_SIZE, has a value that no world can follow",
			Why: "every world refuses to start", Fix: "correct or unset it", find: badValue},
		{ID: "env.backend", Severity: Warning, anywhere: true, Looks: "ROCSHMEM_BACKEND is none of gda, ro and ipc",
			Why: "rocSHMEM looks for gda, ro and ipc anywhere in the text, in this order, and ignores any other text without a word: it then chooses by itself",
			Fix: "set it to gda, ro or ipc, or unset it", find: badBackend},
		{ID: "env.launch", Severity: Error, anywhere: true, Looks: "the environment does not say clearly which process of which job this is",
			Why: "the process cannot find its job: it would wait, or be a job of its own",
			Fix: "start it with goshmem run, mpirun, torchrun or srun, or unset what another launcher left behind", find: unclearJob},
	}
}

func unknown(m *Machine) []Sight {
	err := env.Unknown(m.Lines)
	return seeIf(err != nil, "%v", err)
}

func badValue(m *Machine) []Sight {
	var list []Sight
	for _, p := range env.Problems(m.Lines, m.Engines) {
		list = append(list, see("%s=%q is %v", p.Name, p.Value, p.Err))
	}
	return list
}

func badBackend(m *Machine) []Sight {
	value := m.Env[backendVar]
	names := []string{"gda", "ro", "ipc"} // in the order of rocSHMEM
	if value == "" || slices.Contains(names, strings.ToLower(value)) {
		return nil
	}
	for _, name := range names {
		if strings.Contains(strings.ToLower(value), name) {
			return []Sight{see("%s=%q is taken for %q, which is a part of it", backendVar, value, name)}
		}
	}
	return []Sight{see("%s=%q is ignored", backendVar, value)}
}

func unclearJob(m *Machine) []Sight { return seeIf(m.Launch.Problem != "", "%s", m.Launch.Problem) }
