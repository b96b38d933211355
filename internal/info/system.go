package info

// Unlimited is what a limit is when there is none.
const Unlimited = -1

// System is what the operating system says. A number that it does not tell is 0.
type System struct {
	Host         string `json:"host"`
	Kernel       string `json:"kernel,omitempty"`
	Cores        int    `json:"cores"`                   // of the machine
	Allowed      int    `json:"allowed"`                 // cores that this process may run on
	AllowedCores string `json:"allowed_cores,omitempty"` // which, as the kernel lists them
	MaxProcs     int    `json:"maxprocs"`                // GOMAXPROCS
	Memory       int64  `json:"memory"`                  // bytes
	Available    int64  `json:"available"`               // bytes
	Cgroup       int64  `json:"cgroup"`                  // memory limit of the control group; -1: none
	Group        Group  `json:"group"`                   // all limits of the control groups
	OpenFiles    Limit  `json:"open_files"`
	Locked       Limit  `json:"locked_memory"` // bytes
	Memfd        bool   `json:"memfd"`         // anonymous memory files can be made
	Shm          int64  `json:"shm"`           // size of the shared memory file system; not used by us
}

// Limit is a resource limit; -1 is none.
type Limit struct {
	Soft int64 `json:"soft"`
	Hard int64 `json:"hard"`
}

// ReadSystem reads the files below root that Linux has; k says the rest.
func ReadSystem(root string, k Kernel) System {
	s := System{Host: k.Host, Cores: k.Cores, Allowed: k.Cores, MaxProcs: k.MaxProcs, Memfd: k.Memfd, Shm: k.Shm.Size}
	s.Kernel = readLine(root, "proc/sys/kernel/osrelease")
	s.AllowedCores = word(readText(root, "proc/self/status"), "Cpus_allowed_list:")
	if n := len(ParseList(s.AllowedCores)); n > 0 {
		s.Allowed = n
	}
	if n := len(ParseList(readText(root, "sys/devices/system/cpu/online"))); n > 0 {
		s.Cores = n
	}
	memory := readText(root, "proc/meminfo")
	s.Memory, s.Available = amount(word(memory, "MemTotal:"))<<10, amount(word(memory, "MemAvailable:"))<<10
	s.Group = readGroup(root)
	s.Cgroup = s.Group.Memory.Max
	limits := readText(root, "proc/self/limits")
	s.OpenFiles, s.Locked = limitOf(limits, "Max open files"), limitOf(limits, "Max locked memory")
	return s
}
