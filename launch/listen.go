package launch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"syscall"
	"time"
)

// listen takes the first address of a that is free.
func (a address) listen(ctx context.Context) (net.Listener, error) {
	var last error
	for _, at := range a.candidates() {
		ln, err := listenAt(ctx, a.network(), at)
		if err == nil {
			return ln, nil
		}
		last = err
	}
	return nil, fmt.Errorf("cannot listen at %v (set GOSHMEM_RDZV to a place that is free): %w", a, last)
}

// listenAt listens on the address that the others dial if it is given as a
// number, else on all: on many machines the own host name leads to a loopback
// address that no other machine reaches. The handshake keeps strangers out.
func listenAt(ctx context.Context, network, at string) (net.Listener, error) {
	var lc net.ListenConfig
	if network == "unix" {
		return lc.Listen(ctx, network, at)
	}
	host, port, err := net.SplitHostPort(at)
	if err != nil {
		return nil, err
	}
	if host != "localhost" && net.ParseIP(host) == nil {
		return lc.Listen(ctx, network, ":"+port)
	}
	ln, err := lc.Listen(ctx, network, at)
	if errors.Is(err, syscall.EADDRNOTAVAIL) { // translated on the way here, as in containers
		return lc.Listen(ctx, network, ":"+port)
	}
	return ln, err
}

// elsewhere is what a server that nobody came to should know: that the others were sent to
// another machine. "": they were not, or that cannot be told.
func (a address) elsewhere(ctx context.Context) string {
	if a.name != "" {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	named, err := net.DefaultResolver.LookupNetIP(ctx, "ip", a.host)
	if err != nil {
		return fmt.Sprintf("; the host of the rendezvous is not found from here: %v", err)
	}
	own, err := net.InterfaceAddrs()
	if err != nil {
		return ""
	}
	for _, addr := range own {
		prefix, err := netip.ParsePrefix(addr.String())
		if err == nil && slices.ContainsFunc(named, func(ip netip.Addr) bool { return ip.Unmap() == prefix.Addr().Unmap() || ip.IsLoopback() }) {
			return ""
		}
	}
	return fmt.Sprintf("; %s (%v) is no address of this machine: unless it leads here all the same, number 0 must run there", a.host, named[0].Unmap())
}
