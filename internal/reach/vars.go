package reach

import (
	"os"
	"path/filepath"
	"strings"
)

// library is how one library is told over which interface its processes meet.
type library struct {
	name, family string // variables; family "": it finds out by itself
	exact        string // what makes the name an exact one, where it is else a beginning
}

func libraries() []library {
	return []library{
		{name: "NCCL_SOCKET_IFNAME", family: "NCCL_SOCKET_FAMILY", exact: "="}, // RCCL's too
		{name: "NVSHMEM_BOOTSTRAP_UID_SOCK_IFNAME", family: "NVSHMEM_BOOTSTRAP_UID_SOCK_FAMILY"},
		{name: "ROCSHMEM_BOOTSTRAP_SOCKET_IFNAME", family: "ROCSHMEM_BOOTSTRAP_SOCKET_FAMILY"},
		{name: "GLOO_SOCKET_IFNAME"}, // PyTorch's
	}
}

const ucxDevices = "UCX_NET_DEVICES"

// Variables are the "NAME=value" lines that tell libraries of the interface, but for those
// about which environ says something already.
func (f Found) Variables(environ []string) []string { return f.variables(environ, "/") }

func (f Found) variables(environ []string, root string) []string {
	if f.Interface == "" {
		return nil
	}
	given := map[string]bool{}
	for _, line := range environ {
		name, value, _ := strings.Cut(line, "=")
		given[name] = value != ""
	}
	var lines []string
	for _, l := range libraries() {
		if given[l.name] || given[l.family] {
			continue
		}
		lines = append(lines, l.name+"="+l.exact+f.Interface)
		if f.IPv6 && l.family != "" {
			lines = append(lines, l.family+"=AF_INET6")
		}
	}
	if !given[ucxDevices] {
		lines = append(lines, ucxDevices+"="+strings.Join(append(verbs(root), f.Interface), ","))
	}
	return lines
}

// verbs are the active ports of RDMA devices, as UCX names them: a list of devices that has
// the interface only would keep UCX from using them.
func verbs(root string) []string {
	states, err := filepath.Glob(filepath.Join(root, "sys/class/infiniband/*/ports/*/state"))
	if err != nil { // the pattern is right
		return nil
	}
	var found []string
	for _, s := range states {
		if text, err := os.ReadFile(s); err == nil && strings.Contains(string(text), "ACTIVE") {
			port := filepath.Dir(s)
			found = append(found, filepath.Base(filepath.Dir(filepath.Dir(port)))+":"+filepath.Base(port))
		}
	}
	return found
}
