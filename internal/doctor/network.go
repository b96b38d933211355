package doctor

import (
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/goshmem/goshmem/internal/env"
)

const fewPorts = 1024

func networkChecks() []Check {
	return []Check{
		{ID: "net.lonely", Severity: Note, anywhere: true, Looks: "no network interface but the loopback is up and has an address",
			Why: "jobs on this machine work; others cannot be reached",
			Fix: "start the container with a network (docker run --network host), if the job has processes elsewhere", find: lonely},
		{ID: "net.interface", Severity: Error, anywhere: true, Looks: "a variable of NCCL, rocSHMEM, NVSHMEM, Gloo or UCX asks for a network interface that is not there or not up",
			Why: "the library finds no interface and fails at start, or waits until its time is over",
			Fix: "name one that is up (ip -brief address), or unset the variable", find: noInterface},
		{ID: "net.port", Severity: Warning, Looks: "something listens on MASTER_PORT already, and it is not torchrun's own store",
			Why: "rank 0 of PyTorch or rocSHMEM cannot listen there, or the others meet the wrong job",
			Fix: "take another MASTER_PORT, or find who has it: ss -ltnp", find: portTaken},
		{ID: "net.ephemeral", Severity: Note, Looks: "a port that is set by hand lies among those that the kernel gives to anybody",
			Why: "any outgoing connection may have it when the job starts",
			Fix: "take a port outside of net.ipv4.ip_local_port_range, such as 29500", find: portEphemeral},
		{ID: "net.range", Severity: Note, Looks: "the kernel has fewer than 1024 ephemeral ports",
			Why: "NCCL, Gloo and MPI connect every rank with every other one, several times: connecting fails when they run out",
			Fix: "sysctl net.ipv4.ip_local_port_range='32768 60999'", find: portRange},
	}
}

// reaches says whether an interface leads anywhere.
func (i Interface) reaches() bool { return i.Up && !i.Loopback && len(i.Addresses) > 0 }

func lonely(m *Machine) []Sight {
	return seeIf(!slices.ContainsFunc(m.Links, Interface.reaches), "no interface but the loopback is up and has an address")
}

// selector is a variable that chooses interfaces, and how it is read.
type selector struct {
	name    string
	matches func(m *Machine, value string) bool
}

func selectors() []selector {
	return []selector{
		{"NCCL_SOCKET_IFNAME", byPrefix},
		{"ROCSHMEM_BOOTSTRAP_SOCKET_IFNAME", byPrefix},
		{"NVSHMEM_BOOTSTRAP_UID_SOCK_IFNAME", byPrefix},
		{"GLOO_SOCKET_IFNAME", byName},
		{"UCX_NET_DEVICES", byDevice},
	}
}

func noInterface(m *Machine) []Sight {
	var list []Sight
	for _, s := range selectors() {
		if value := m.Env[s.name]; value != "" && !s.matches(m, value) {
			list = append(list, see("%s=%s matches none of the interfaces that are up: %s", s.name, value, few(m.up())))
		}
	}
	return list
}

func (m *Machine) up() []string {
	var names []string
	for _, i := range m.Links {
		if i.Up {
			names = append(names, i.Name)
		}
	}
	return names
}

// byPrefix is NCCL's way: beginnings of names; = in front means whole names, ^ all
// others.
func byPrefix(m *Machine, value string) bool {
	value, others := strings.CutPrefix(value, "^")
	value, whole := strings.CutPrefix(value, "=")
	wanted := strings.Split(value, ",")
	return slices.ContainsFunc(m.up(), func(name string) bool {
		listed := slices.ContainsFunc(wanted, func(w string) bool {
			w, _, _ = strings.Cut(w, ":") // a port may follow
			return name == w || (!whole && w != "" && strings.HasPrefix(name, w))
		})
		return listed != others
	})
}

// byName is Gloo's way: whole names.
func byName(m *Machine, value string) bool { return byPrefix(m, "="+value) }

// byDevice is UCX's way: interfaces, or adapters with a port; patterns are left to
// UCX.
func byDevice(m *Machine, value string) bool {
	if value == "all" || strings.ContainsAny(value, "*?[^") {
		return true
	}
	return slices.ContainsFunc(strings.Split(value, ","), func(device string) bool {
		name, _, _ := strings.Cut(device, ":")
		return slices.Contains(m.up(), name) || slices.Contains(m.Adapters, name)
	})
}

// portTaken looks where rank 0 will listen. Torchrun's agent holds the port for the
// store of its processes: that is as it should be.
func portTaken(m *Machine) []Sight {
	port, err := strconv.Atoi(m.Env["MASTER_PORT"])
	if err != nil || m.Launch.Rank != 0 || m.Env["TORCHELASTIC_RUN_ID"] != "" || !m.here(m.Env["MASTER_ADDR"]) {
		return nil
	}
	return seeIf(slices.Contains(m.Listening, port), "something listens on MASTER_PORT=%d", port)
}

// here says whether an address is one of this machine.
func (m *Machine) here(addr string) bool {
	if ip := net.ParseIP(addr); addr == "" || addr == "localhost" || addr == m.System.Host || (ip != nil && ip.IsLoopback()) {
		return true
	}
	return slices.ContainsFunc(m.Links, func(i Interface) bool { return slices.Contains(i.Addresses, addr) })
}

// portEphemeral leaves alone the port that goshmem run drew.
func portEphemeral(m *Machine) []Sight {
	var list []Sight
	for _, name := range []string{"MASTER_PORT", env.Rdzv} {
		value := m.Env[name]
		port, err := strconv.Atoi(portOf(value))
		if len(m.Ports) == 2 && err == nil && m.Launch.Family != "goshmem" && m.Ports[0] <= port && port <= m.Ports[1] {
			list = append(list, see("%s=%s is within %d to %d", name, value, m.Ports[0], m.Ports[1]))
		}
	}
	return list
}

// portOf takes the port out of "29500" and "tcp:host:29500+16".
func portOf(value string) string {
	value = value[strings.LastIndex(value, ":")+1:]
	value, _, _ = strings.Cut(value, "+")
	return value
}

func portRange(m *Machine) []Sight {
	if len(m.Ports) != 2 {
		return nil
	}
	n := m.Ports[1] - m.Ports[0] + 1
	return seeIf(n < fewPorts, "net.ipv4.ip_local_port_range has %d ports (%d to %d)", n, m.Ports[0], m.Ports[1])
}
