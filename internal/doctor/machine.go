package doctor

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/goshmem/goshmem/internal/info"
)

// Source is where a record of a machine comes from: files below a folder, and what
// no file tells.
type Source struct {
	OS        string // as runtime.GOOS
	Root      string // "/" for this machine
	Environ   []string
	Places    []string               // where leftovers may lie, below Root
	Usable    func(path string) bool // whether a device file may be opened
	Kernel    info.Kernel
	Launch    info.Launch
	Links     []Interface
	Libraries []info.Library
	Engines   []string // names of the engines that exist
}

// Interface is a network interface.
type Interface struct {
	Name      string   `json:"name"`
	Up        bool     `json:"up"`
	Loopback  bool     `json:"loopback,omitempty"`
	Addresses []string `json:"addresses,omitempty"` // but those of the link itself
}

// Machine is the record that checks look at. Nothing in it changes any more.
type Machine struct {
	OS        string
	System    info.System
	Kernel    info.Kernel
	Launch    info.Launch
	Lines     []string          // the environment
	Env       map[string]string // the same
	Engines   []string
	Devices   []info.Device
	Libraries []info.Library
	Links     []Interface
	Adapters  []string // RDMA adapters
	Nodes     [][]int  // cores of each NUMA node that has any
	ShmHuge   string   // the setting that is chosen for huge pages of shared memory
	Ptrace    int      // yama's scope; 0: as without it
	Ports     []int    // lowest and highest of the ephemeral ones; nil: unknown
	Listening []int    // TCP ports that something listens on
	Leftovers []Leftover
}

// Read makes the record. What is not there is left empty: a check then finds
// nothing.
func Read(s Source) *Machine {
	m := &Machine{
		OS: s.OS, System: info.ReadSystem(s.Root, s.Kernel), Kernel: s.Kernel, Launch: s.Launch,
		Lines: s.Environ, Env: parseEnviron(s.Environ), Engines: s.Engines,
		Devices: info.Devices(s.Root, s.Usable), Libraries: s.Libraries, Links: s.Links,
	}
	m.Adapters = entries(s.Root, "sys/class/infiniband")
	m.Nodes = readNodes(s.Root)
	m.ShmHuge = chosen(text(s.Root, "sys/kernel/mm/transparent_hugepage/shmem_enabled"))
	m.Ptrace, _ = strconv.Atoi(text(s.Root, "proc/sys/kernel/yama/ptrace_scope")) // without yama: 0
	m.Ports = readPorts(s.Root)
	m.Listening = slices.Concat(listening(text(s.Root, "proc/net/tcp")), listening(text(s.Root, "proc/net/tcp6")))
	m.Leftovers = FindLeftovers(s.Root, s.Places, s.Kernel.UID, Confined(s.Root))
	return m
}

// parseEnviron makes a map: the last of a name counts, an empty value is none.
func parseEnviron(lines []string) map[string]string {
	m := map[string]string{}
	for _, line := range lines {
		if name, value, _ := strings.Cut(line, "="); value != "" {
			m[name] = value
		} else {
			delete(m, name)
		}
	}
	return m
}

// text is a file without the space around it, or "".
func text(root, name string) string {
	b, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

func entries(root, name string) []string {
	list, err := os.ReadDir(filepath.Join(root, name))
	if err != nil {
		return nil
	}
	names := make([]string, len(list))
	for i, e := range list {
		names[i] = e.Name()
	}
	return names
}

func readNodes(root string) [][]int {
	var nodes [][]int
	for _, name := range entries(root, "sys/devices/system/node") {
		if strings.HasPrefix(name, "node") {
			if cores := info.ParseList(text(root, filepath.Join("sys/devices/system/node", name, "cpulist"))); len(cores) > 0 {
				nodes = append(nodes, cores)
			}
		}
	}
	return nodes
}

// chosen is the word in brackets of a kernel setting such as "always [never]".
func chosen(line string) string {
	_, rest, _ := strings.Cut(line, "[")
	word, _, _ := strings.Cut(rest, "]")
	return word
}

func readPorts(root string) []int {
	var ports []int
	for _, word := range strings.Fields(text(root, "proc/sys/net/ipv4/ip_local_port_range")) {
		if n, err := strconv.Atoi(word); err == nil {
			ports = append(ports, n)
		}
	}
	if len(ports) != 2 {
		return nil
	}
	return ports
}

// listening reads the kernel's table of TCP sockets: local address:port in hex is
// the second column, the state the fourth.
func listening(table string) []int {
	var ports []int
	for line := range strings.Lines(table) {
		words := strings.Fields(line)
		if len(words) < 4 || words[3] != "0A" {
			continue
		}
		_, hex, _ := strings.Cut(words[1], ":")
		if port, err := strconv.ParseUint(hex, 16, 16); err == nil && !slices.Contains(ports, int(port)) {
			ports = append(ports, int(port))
		}
	}
	return ports
}

// local is how many processes of the job are on this machine.
func (m *Machine) local() int { return max(m.Launch.LocalSize, 1) }

// allowed lists the cores that this process may use.
func (m *Machine) allowed() []int { return info.ParseList(m.System.AllowedCores) }
