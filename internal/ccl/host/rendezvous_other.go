//go:build !linux

package host

import (
	"fmt"
	"net"
)

// rendezvous is a port that nobody has now: there are no names without files here.
func rendezvous(token) (string, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("a port for ranks to meet: %w", err)
	}
	address := "tcp:" + ln.Addr().String()
	return address, ln.Close()
}
