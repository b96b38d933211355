package info

import (
	"os"
	"runtime"
)

// Unlimited is what a limit is when there is none.
const Unlimited = -1

// System is what the operating system says. A number that it does not tell is 0.
type System struct {
	Host      string `json:"host"`
	Kernel    string `json:"kernel,omitempty"`
	Cores     int    `json:"cores"`     // of the machine
	Allowed   int    `json:"allowed"`   // cores that this process may run on
	MaxProcs  int    `json:"maxprocs"`  // GOMAXPROCS
	Memory    int64  `json:"memory"`    // bytes
	Available int64  `json:"available"` // bytes
	Cgroup    int64  `json:"cgroup"`    // memory limit of the control group; -1: none
	OpenFiles Limit  `json:"open_files"`
	Locked    Limit  `json:"locked_memory"` // bytes
	Memfd     bool   `json:"memfd"`         // anonymous memory files can be made
	Shm       int64  `json:"shm"`           // size of the shared memory file system; not used by us
}

// Limit is a resource limit; -1 is none.
type Limit struct {
	Soft int64 `json:"soft"`
	Hard int64 `json:"hard"`
}

// readSystem reads the files below root and asks the kernel for the rest.
func readSystem(root string) System {
	s := System{Cores: runtime.NumCPU(), Allowed: runtime.NumCPU(), MaxProcs: runtime.GOMAXPROCS(0)}
	if host, err := os.Hostname(); err == nil {
		s.Host = host
	}
	s.fill(root)
	return s
}
