package doctor

import (
	"slices"
	"strings"

	"github.com/goshmem/goshmem/internal/dl"
	"github.com/goshmem/goshmem/internal/info"
)

func libraryChecks() []Check {
	return []Check{
		{ID: "library.copies", Severity: Warning, Looks: "there are several files of one vendor library where programs look for it",
			Why: "which one a program gets depends on who looks first; two in one process have separate state and corrupt what they share",
			Fix: "remove all but one, or name it for all: NCCL_LIBRARY=, LD_LIBRARY_PATH= or the vendor's home variable", find: copies},
		{ID: "library.broken", Severity: Warning, Looks: "a vendor library is there, but cannot be loaded or lacks what is needed",
			Why: "programs that need it fail, or take another copy",
			Fix: "reinstall it together with what it needs; goshmem info -v says what was tried", find: broken},
	}
}

// copies leaves out MPI: machines have several on purpose, by different names.
func copies(m *Machine) []Sight {
	var list []Sight
	for _, l := range m.Libraries {
		if l.Name != "mpi" && len(l.Copies) > 1 {
			s := see("%s: %s", l.Name, few(l.Copies))
			if l.Path != "" {
				s.Seen += " (here, " + l.Path + " is loaded)"
			}
			list = append(list, s)
		}
	}
	return list
}

func broken(m *Machine) []Sight {
	var list []Sight
	for _, l := range m.Libraries {
		if l.Problem != "" && (l.Path != "" || crashed(l) || found(l)) {
			list = append(list, see("%s", strings.TrimPrefix(l.Problem, l.Name+": ")).named(l.Name))
		}
	}
	return list
}

// named puts the library in front.
func (s Sight) named(name string) Sight {
	s.Seen = name + ": " + s.Seen
	return s
}

// crashed says that the process that loaded it ended.
func crashed(l info.Library) bool { return l.Report == nil }

// found says that some file was there and yet could not be loaded.
func found(l info.Library) bool {
	return slices.ContainsFunc(l.Report.Attempts, func(a dl.Attempt) bool { return a.Problem != "" && a.Problem != dl.NoFile })
}
