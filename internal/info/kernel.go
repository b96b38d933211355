package info

import (
	"os"
	"runtime"
)

// Kernel is what no file tells: the answers of system calls, and of Go's runtime.
// What follows from it can be tried on machines that were recorded elsewhere.
type Kernel struct {
	Host     string     `json:"host"`
	Cores    int        `json:"cores"` // as Go counts them
	MaxProcs int        `json:"maxprocs"`
	UID      int        `json:"uid"`
	Memfd    bool       `json:"memfd"`  // anonymous memory files can be made
	Pidfd    bool       `json:"pidfd"`  // handles of processes can be made
	Borrow   bool       `json:"borrow"` // pidfd_getfd and process_vm_readv are not filtered out
	Shm      FileSystem `json:"shm"`    // the shared memory file system
}

// FileSystem is the state of a mount.
type FileSystem struct {
	Size     int64 `json:"size"` // bytes; 0: there is none
	Free     int64 `json:"free"`
	Writable bool  `json:"writable"` // this user may make files in it
}

// AskKernel asks; it makes nothing that stays.
func AskKernel() Kernel {
	k := Kernel{Cores: runtime.NumCPU(), MaxProcs: runtime.GOMAXPROCS(0), UID: os.Getuid()}
	if host, err := os.Hostname(); err == nil {
		k.Host = host
	}
	k.ask()
	return k
}
