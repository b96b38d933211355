package failtest_test

import (
	"context"
	"slices"
	"testing"

	"github.com/goshmem/goshmem/shmem"
)

// row is one thing that can go wrong.
type row struct {
	fault  string   // what goes wrong
	others string   // what a user sees with other implementations; "": not looked at
	ours   string   // what cannot be read from the lines below; "": nothing
	code   int      // exit status of the job
	says   []string // lines of its output, after plain has made runs alike
	tests  []string // tests of other packages, as folder.Name

	// What happens. A row has at most one of pe, program and job; none: the tests
	// above hold it alone.
	pe      body                          // on each PE, between Init and Finalize
	program func()                        // as each process
	job     func(t *testing.T, r row) end // in any other way

	n         int           // PEs; 0: two
	options   shmem.Options // of pe
	env       []string      // of the processes
	local     bool          // pe also runs on goroutine PEs
	localSays []string      // what it says there; nil: says, without places and the launcher's lines
	stops     bool          // the launcher has to end some processes
}

// body is what a PE does. Its error ends the job.
type body func(ctx context.Context, w *shmem.World) error

// end is how a job ended: its exit status and the lines that it wrote.
type end struct {
	code  int
	lines []string
}

// group is a part of the page.
type group struct {
	title string
	rows  []row
}

func groups() []group {
	return []group{
		{"Processes that end", processRows()},
		{"The symmetric heap", heapRows()},
		{"Arguments of one PE", argumentRows()},
		{"PEs that disagree", disagreeRows()},
		{"Before init and after finalize", lifeRows()},
		{"The start of a job", startRows()},
		{"Several machines", nodeRows()},
		{"The launcher and the machine", machineRows()},
	}
}

func rows() []row {
	var all []row
	for _, g := range groups() {
		all = append(all, g.rows...)
	}
	return all
}

// size is the number of PEs.
func (r row) size() int {
	if r.n == 0 {
		return 2
	}
	return r.n
}

// runs says whether the row itself does something.
func (r row) runs() bool { return r.pe != nil || r.program != nil || r.job != nil }

// find returns the row of a fault, for a process that is to play it.
func find(fault string) row {
	all := rows()
	return all[slices.IndexFunc(all, func(r row) bool { return r.fault == fault })]
}
