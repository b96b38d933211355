package info

import (
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// fill reads what Linux tells.
func (s *System) fill(root string) {
	var name unix.Utsname
	if unix.Uname(&name) == nil {
		s.Kernel = unix.ByteSliceToString(name.Release[:])
	}
	var set unix.CPUSet
	if unix.SchedGetaffinity(0, &set) == nil {
		s.Allowed = set.Count()
	}
	if n := countCores(readText(root, "sys/devices/system/cpu/online")); n > 0 {
		s.Cores = n
	}
	memory := readText(root, "proc/meminfo")
	s.Memory, s.Available = field(memory, "MemTotal:"), field(memory, "MemAvailable:")
	s.Cgroup = cgroupLimit(root)
	s.OpenFiles, s.Locked = limit(unix.RLIMIT_NOFILE), limit(unix.RLIMIT_MEMLOCK)
	s.Memfd = hasMemfd()
	s.Shm = sizeOf(filepath.Join(root, "dev/shm"))
}

// readText is the file's text, or "" if it is not there: all of these are optional.
func readText(root, name string) string {
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		return ""
	}
	return string(text)
}

// countCores reads a kernel list such as "0-3,8".
func countCores(list string) int {
	n := 0
	for part := range strings.SplitSeq(strings.TrimSpace(list), ",") {
		low, high, isRange := strings.Cut(part, "-")
		if !isRange {
			high = low
		}
		from, err1 := strconv.Atoi(low)
		to, err2 := strconv.Atoi(high)
		if err1 != nil || err2 != nil {
			return 0
		}
		n += to - from + 1
	}
	return n
}

// field reads a line of meminfo, in bytes.
func field(text, name string) int64 {
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) < 2 || words[0] != name {
			continue
		}
		if kib, err := strconv.ParseInt(words[1], 10, 64); err == nil {
			return kib << 10
		}
	}
	return 0
}

func limit(which int) Limit {
	var l unix.Rlimit
	if unix.Getrlimit(which, &l) != nil {
		return Limit{}
	}
	return Limit{bounded(l.Cur), bounded(l.Max)}
}

func bounded(n uint64) int64 {
	if n > math.MaxInt64 {
		return Unlimited
	}
	return int64(n)
}

func hasMemfd() bool {
	fd, err := unix.MemfdCreate("goshmem-info", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return false
	}
	return unix.Close(fd) == nil
}

func sizeOf(path string) int64 {
	var fs unix.Statfs_t
	if unix.Statfs(path, &fs) != nil {
		return 0
	}
	return int64(fs.Blocks) * fs.Bsize
}

// usable asks without opening: opening a device can start its driver.
func usable(path string) bool { return unix.Access(path, unix.R_OK|unix.W_OK) == nil }
