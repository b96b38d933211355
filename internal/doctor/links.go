package doctor

import "net"

// Links lists the network interfaces of this machine. An address of the link
// itself reaches nobody without the name of the interface, and is left out.
func Links() ([]Interface, error) {
	all, err := net.Interfaces()
	if err != nil {
		return nil, err
	}
	var list []Interface
	for _, i := range all {
		link := Interface{Name: i.Name, Up: i.Flags&net.FlagUp != 0, Loopback: i.Flags&net.FlagLoopback != 0}
		addresses, err := i.Addrs()
		if err != nil {
			return nil, err
		}
		for _, a := range addresses {
			if ip, ok := a.(*net.IPNet); ok && !ip.IP.IsLinkLocalUnicast() {
				link.Addresses = append(link.Addresses, ip.IP.String())
			}
		}
		list = append(list, link)
	}
	return list, nil
}
