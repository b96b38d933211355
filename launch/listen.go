package launch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"
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
