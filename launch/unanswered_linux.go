package launch

import (
	"net"
	"time"

	"golang.org/x/sys/unix"
)

// unanswered bounds how long what was sent on a connection may stay without an answer.
func unanswered(conn *net.TCPConn, limit time.Duration) error {
	raw, err := conn.SyscallConn()
	if err != nil {
		return err
	}
	var optErr error
	err = raw.Control(func(fd uintptr) {
		optErr = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(limit.Milliseconds()))
	})
	if err != nil {
		return err
	}
	return optErr
}
