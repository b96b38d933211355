package perf

import (
	"os"
	"runtime"
	"runtime/debug"
	"strings"
)

// Machine is what the figures were taken on. What cannot be found out is empty.
type Machine struct {
	OS         string `json:"os"`
	Arch       string `json:"arch"`
	Kernel     string `json:"kernel,omitempty"`
	CPU        string `json:"cpu,omitempty"`
	Cores      int    `json:"cores"` // that this process may use
	Go         string `json:"go"`
	Commit     string `json:"commit,omitempty"`      // of this program; with a + if files had been changed
	LoadBefore string `json:"load_before,omitempty"` // mean number of processes that wanted a core, over 1, 5 and 15 minutes
	LoadAfter  string `json:"load_after,omitempty"`
}

func describe() Machine {
	return Machine{
		OS: runtime.GOOS, Arch: runtime.GOARCH, Cores: runtime.NumCPU(), Go: runtime.Version(), Commit: commit(),
		Kernel: strings.TrimSpace(read("/proc/sys/kernel/osrelease")), CPU: cpu(read("/proc/cpuinfo")), LoadBefore: load(),
	}
}

// read returns the text of a file of the kernel's, "" where there is none: a
// label is missing then, nothing else.
func read(name string) string {
	text, err := os.ReadFile(name)
	if err != nil {
		return ""
	}
	return string(text)
}

// cpu finds the model's name.
func cpu(info string) string {
	for line := range strings.Lines(info) {
		if name, value, _ := strings.Cut(line, ":"); strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// load is the first three fields of the load average.
func load() string {
	fields := strings.Fields(read("/proc/loadavg"))
	return strings.Join(fields[:min(3, len(fields))], " ")
}

// commit is the revision that this program was built from.
func commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	revision, changed := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = "+"
		}
	}
	return revision + changed
}
