package info

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/goshmem/goshmem/internal/skip"
)

func TestThisMachine(t *testing.T) {
	if runtime.GOOS != "linux" {
		skip.Now(t, skip.NotLinux, runtime.GOOS)
	}
	s := ReadSystem("/", AskKernel())
	if s.Cores < 1 || s.Allowed < 1 || s.Allowed > s.Cores || s.MaxProcs != runtime.GOMAXPROCS(0) {
		t.Errorf("cores %d, allowed %d, GOMAXPROCS %d", s.Cores, s.Allowed, s.MaxProcs)
	}
	if s.Memory < 1<<26 || s.Available <= 0 || s.Available > s.Memory {
		t.Errorf("memory %d, available %d", s.Memory, s.Available)
	}
	if s.OpenFiles.Soft < 16 || s.Locked.Hard == 0 || s.Kernel == "" || s.AllowedCores == "" {
		t.Errorf("open files %+v, locked %+v, kernel %q, cores %q", s.OpenFiles, s.Locked, s.Kernel, s.AllowedCores)
	}
	if host, err := os.Hostname(); err == nil && s.Host != host {
		t.Errorf("host %q, want %q", s.Host, host)
	}
}

func TestReadsTheFilesBelowRoot(t *testing.T) {
	s := ReadSystem(tree(t, map[string]string{
		"proc/meminfo":                  "MemTotal:       2048 kB\nMemFree: 1 kB\nMemAvailable:    1024 kB\n",
		"sys/devices/system/cpu/online": "0-3,8-9,11\n",
		"proc/self/cgroup":              "0::/a/b\n",
		"sys/fs/cgroup/a/memory.max":    "5000\n",
		"sys/fs/cgroup/a/b/memory.max":  "max\n",
		"proc/self/status":              "Name:\tx\nCpus_allowed_list:\t2-3,9\n",
		"proc/self/limits":              "Limit   Soft Limit  Hard Limit Units\nMax locked memory   65536   unlimited   bytes\nMax open files 1024 4096 files\n",
		"proc/sys/kernel/osrelease":     "6.1.0\n",
	}), Kernel{Host: "h", Cores: 1, MaxProcs: 3})
	if s.Host != "h" || s.Allowed != 3 || s.MaxProcs != 3 || s.Kernel != "6.1.0" || s.Locked != (Limit{65536, Unlimited}) || s.OpenFiles != (Limit{1024, 4096}) {
		t.Errorf("%+v", s)
	}
	if s.Memory != 2<<20 || s.Available != 1<<20 || s.Cores != 7 || s.Cgroup != 5000 {
		t.Errorf("%+v", s)
	}
}

func TestCgroupLimit(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"none":                       {nil, Unlimited},
		"unlimited":                  {map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "max\n"}, Unlimited},
		"at the root of a namespace": {map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "77\n"}, 77},
		"inner is smaller": {map[string]string{"proc/self/cgroup": "0::/a/b\n",
			"sys/fs/cgroup/a/memory.max": "90\n", "sys/fs/cgroup/a/b/memory.max": "70\n"}, 70},
		"version 1": {map[string]string{"proc/self/cgroup": "12:cpu,memory:/x\n3:memoryless:/y\n",
			"sys/fs/cgroup/memory/x/memory.limit_in_bytes": "123\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"}, 123},
		"garbage": {map[string]string{"proc/self/cgroup": "nonsense\n\n0::relative\n", "sys/fs/cgroup/relative/memory.max": "words\n"}, Unlimited},
	} {
		if got := readGroup(tree(t, c.files)).Memory.Max; got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

// TestGroupBudgets reads all three resources in both versions.
func TestGroupBudgets(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  Group
	}{
		"version 2": {map[string]string{"proc/self/cgroup": "0::/job\n",
			"sys/fs/cgroup/job/memory.max": "1000\n", "sys/fs/cgroup/job/memory.current": "900\n", "sys/fs/cgroup/job/memory.stat": "anon 1\ninactive_file 300\n",
			"sys/fs/cgroup/job/pids.max": "50\n", "sys/fs/cgroup/job/pids.current": "7\n", "sys/fs/cgroup/job/cpu.max": "150000 100000\n", "sys/fs/cgroup/cpu.max": "max 100000\n"},
			Group{Budget{1000, 600}, Budget{50, 7}, 1.5}},
		"version 1": {map[string]string{"proc/self/cgroup": "4:memory:/j\n3:pids:/j\n2:cpu,cpuacct:/j\n",
			"sys/fs/cgroup/memory/j/memory.limit_in_bytes": "1000\n", "sys/fs/cgroup/memory/j/memory.usage_in_bytes": "400\n", "sys/fs/cgroup/memory/j/memory.stat": "total_inactive_file 500\n",
			"sys/fs/cgroup/pids/j/pids.max": "max\n", "sys/fs/cgroup/cpu/j/cpu.cfs_quota_us": "50000\n", "sys/fs/cgroup/cpu/j/cpu.cfs_period_us": "100000\n", "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n"},
			Group{Budget{1000, 0}, Budget{Max: Unlimited}, 0.5}},
	} {
		if got := readGroup(tree(t, c.files)); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

func TestParseList(t *testing.T) {
	for list, want := range map[string]int{"0\n": 1, "0-1": 2, "0-3,8": 5, "": 0, "x-3": 0, "1-": 0, "0-99999999": 0} {
		if got := len(ParseList(list)); got != want {
			t.Errorf("%q: %d, want %d", list, got, want)
		}
	}
}

func TestDevices(t *testing.T) {
	root := tree(t, map[string]string{
		"dev/nvidia0": "", "dev/nvidia1": "", "dev/nvidiactl": "", "dev/kfd": "",
		"dev/dri/renderD128": "", "dev/dri/renderD129": "", "dev/dri/card0": "",
		"sys/class/drm/renderD128/device/vendor": "0x1002\n",
	})
	var got []string
	for _, d := range Devices(root, Usable) {
		rel, err := filepath.Rel(root, d.Path)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, filepath.ToSlash(rel)+" "+d.Kind)
		if d.Usable != Usable(d.Path) {
			t.Errorf("%s is not what the system says", d.Path)
		}
	}
	want := []string{"dev/nvidia0 NVIDIA GPU", "dev/nvidia1 NVIDIA GPU", "dev/kfd AMD compute interface",
		"dev/dri/renderD128 AMD render node", "dev/dri/renderD129 render node"}
	if !slices.Equal(got, want) {
		t.Errorf("devices %q, want %q", got, want)
	}
	if Usable(filepath.Join(root, "dev/absent")) {
		t.Error("an absent device is usable")
	}
}
