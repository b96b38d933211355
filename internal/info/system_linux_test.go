package info

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

func TestThisMachine(t *testing.T) {
	s := readSystem("/")
	if s.Cores < 1 || s.Allowed < 1 || s.Allowed > s.Cores || s.MaxProcs != runtime.GOMAXPROCS(0) {
		t.Errorf("cores %d, allowed %d, GOMAXPROCS %d", s.Cores, s.Allowed, s.MaxProcs)
	}
	if s.Memory < 1<<26 || s.Available <= 0 || s.Available > s.Memory {
		t.Errorf("memory %d, available %d", s.Memory, s.Available)
	}
	if s.OpenFiles.Soft < 16 || s.Kernel == "" {
		t.Errorf("open files %+v, kernel %q", s.OpenFiles, s.Kernel)
	}
	if host, err := os.Hostname(); err == nil && s.Host != host {
		t.Errorf("host %q, want %q", s.Host, host)
	}
}

func TestReadsTheFilesBelowRoot(t *testing.T) {
	s := readSystem(tree(t, map[string]string{
		"proc/meminfo":                  "MemTotal:       2048 kB\nMemFree: 1 kB\nMemAvailable:    1024 kB\n",
		"sys/devices/system/cpu/online": "0-3,8-9,11\n",
		"proc/self/cgroup":              "0::/a/b\n",
		"sys/fs/cgroup/a/memory.max":    "5000\n",
		"sys/fs/cgroup/a/b/memory.max":  "max\n",
	}))
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
		if got := cgroupLimit(tree(t, c.files)); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

func TestCountCores(t *testing.T) {
	for list, want := range map[string]int{"0\n": 1, "0-1": 2, "0-3,8": 5, "": 0, "x-3": 0, "1-": 0} {
		if got := countCores(list); got != want {
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
	for _, d := range devices(root) {
		rel, err := filepath.Rel(root, d.Path)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, filepath.ToSlash(rel)+" "+d.Kind)
		if !d.Usable {
			t.Errorf("%s is not usable", d.Path)
		}
	}
	want := []string{"dev/nvidia0 NVIDIA GPU", "dev/nvidia1 NVIDIA GPU", "dev/kfd AMD compute interface",
		"dev/dri/renderD128 AMD render node", "dev/dri/renderD129 render node"}
	if !slices.Equal(got, want) {
		t.Errorf("devices %q, want %q", got, want)
	}
	if usable(filepath.Join(root, "dev/absent")) {
		t.Error("an absent device is usable")
	}
}
