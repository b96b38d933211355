package ucx

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/goshmem/goshmem/internal/abi/ucx"
	"github.com/goshmem/goshmem/internal/dl"
)

// settings are what we ask of UCX, by names without their UCX_. A variable that the user
// has set is left alone.
func (c Config) settings() [][2]string {
	list := [][2]string{
		{"NET_DEVICES", c.Devices},
		{"TLS", c.Transports},
		// Atomics of a network adapter are not atomic with those of processors.
		{"ATOMIC_MODE", "cpu"},
	}
	if c.soft() { // what large messages would be answered with by UCX itself is not wanted either
		list = append(list, [2]string{"RNDV_THRESH", "inf"})
	}
	return list
}

// soft says whether UCX has no way into others' memory but the help of UCX there: it may
// use TCP at most between nodes, or there is no adapter that can do more.
func (c Config) soft() bool {
	if c.together() {
		return false
	}
	if adapters, err := os.ReadDir("/sys/class/infiniband"); err != nil || len(adapters) == 0 {
		return true
	}
	for _, name := range c.transports() {
		if name != "tcp" && !slices.Contains(nearby(), name) {
			return false
		}
	}
	return true
}

// transports are those that UCX may use; an empty name or "all" is any.
func (c Config) transports() (names []string) {
	list := c.Transports
	if users, set := os.LookupEnv("UCX_TLS"); set {
		list = users
	}
	for name := range strings.SplitSeq(list, ",") {
		names = append(names, strings.TrimSpace(name))
	}
	return names
}

// nearby are the ways between processes of one node.
func nearby() []string {
	return []string{"posix", "sysv", "xpmem", "cma", "knem", "self", "sm", "shm", "mm"}
}

// together says whether all that UCX may use are ways between processes of one node. Those
// cannot tell that a peer is gone (none of 1.13 can), and refuse to be asked to.
func (c Config) together() bool {
	return !slices.ContainsFunc(c.transports(), func(name string) bool { return !slices.Contains(nearby(), name) })
}

// single says whether there is one device only, and none with ports, so that all that goes
// to a peer takes one way and stays in order: one connection, over TCP.
func (c Config) single() bool {
	list := c.Devices
	if users, set := os.LookupEnv("UCX_NET_DEVICES"); set {
		list = users
	}
	return c.together() || list != "" && list != "all" && !strings.ContainsAny(list, ",:")
}

// room says, for errors, how much room there is in the folder where UCX makes segments of
// shared memory; "" if it makes none, or there is ample.
func (c Config) room(folder string) string {
	free, writable := space(folder)
	const ample = 1 << 30
	if !c.segments() || writable && free >= ample {
		return ""
	}
	barred := ""
	if !writable {
		barred = " and nothing may be written"
	}
	return fmt.Sprintf("; UCX takes some 5 MiB for each process in %s, where %d bytes are free%s: give it more (docker run --shm-size, or mount -o remount,size=), or do without it: UCX_TLS=tcp,self", folder, free, barred)
}

// segments says whether UCX may make segments of shared memory that have a name.
func (c Config) segments() bool {
	for _, name := range c.transports() {
		switch name {
		case "", "all", "posix", "sm", "shm", "mm":
			return true
		}
	}
	return false
}

// text says which of them were given, for errors.
func (c Config) text() string {
	var parts []string
	for _, s := range c.settings()[:2] {
		if value, set := os.LookupEnv("UCX_" + s[0]); set {
			parts = append(parts, "UCX_"+s[0]+"="+value)
		} else if s[1] != "" {
			parts = append(parts, strings.ToLower(s[0])+" "+s[1])
		}
	}
	if parts == nil {
		return ""
	}
	return " with " + strings.Join(parts, ", ")
}

// settle reads the environment's settings and adds ours.
func (w *Worker) settle(s *dl.Scratch) (config uintptr, err error) {
	out := dl.Out[uintptr](s)
	if st := status(dl.Call(w.lib.configRead, 0, 0, dl.Addr(out))); st != ucx.UCS_OK {
		return 0, w.lib.refused("read the settings UCX_*", st)
	}
	for _, set := range w.config.settings() {
		if _, users := os.LookupEnv("UCX_" + set[0]); users || set[1] == "" {
			continue
		}
		if st := status(dl.Call(w.lib.configModify, *out, s.Text(set[0]), s.Text(set[1]))); st != ucx.UCS_OK {
			dl.Call(w.lib.configRelease, *out)
			return 0, w.lib.refused(fmt.Sprintf("set %s to %q", set[0], set[1]), st)
		}
	}
	return *out, nil
}
