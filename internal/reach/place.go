package reach

import (
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// place is an address of an interface.
type place struct {
	Interface string
	Address   string
	Speed     int // of the link in Mbit/s; 0: not known
}

func (p place) six() bool { return strings.Contains(p.Address, ":") }

// places are the addresses of this machine that others may reach. The loopback interface
// counts where there is no other: then all machines of the job can only be this one.
func places() ([]place, error) {
	all, err := net.Interfaces()
	if err != nil {
		return nil, err
	}
	var found, loop []place
	for _, i := range all {
		if i.Flags&net.FlagUp == 0 {
			continue
		}
		addrs, err := i.Addrs()
		if err != nil {
			return nil, err
		}
		here := usable(i.Name, addrs)
		if i.Flags&net.FlagLoopback != 0 {
			loop = append(loop, here...)
		} else {
			found = append(found, here...)
		}
	}
	if len(found) == 0 {
		found = loop
	}
	return found[:min(len(found), mostPlaces)], nil
}

// usable are the addresses that mean the same on another machine. Those of a link alone do
// not.
func usable(name string, addrs []net.Addr) []place {
	var found []place
	for _, a := range addrs {
		prefix, err := netip.ParsePrefix(a.String())
		if err == nil && !prefix.Addr().IsLinkLocalUnicast() && !prefix.Addr().IsMulticast() {
			found = append(found, place{name, prefix.Addr().Unmap().String(), speed("/", name)})
		}
	}
	return found
}

// speed is what the kernel below root says of a link; 0: nothing, as of virtual ones.
func speed(root, name string) int {
	text, err := os.ReadFile(filepath.Join(root, "sys/class/net", name, "speed"))
	if err != nil {
		return 0
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || n < 0 {
		return 0
	}
	return n
}
