package launch

import (
	"fmt"
	"net"
	"os"
	"syscall"
)

// abstractNames says whether this system has sockets with names outside the file
// system.
func abstractNames() error { return nil }

// sameUser refuses a peer that runs as somebody else. Abstract names have no
// owner and no permissions: any user of the machine can connect, or take the
// name first. Over tcp there is nothing to look at.
func sameUser(conn net.Conn) error {
	unix, ok := conn.(*net.UnixConn)
	if !ok {
		return nil
	}
	raw, err := unix.SyscallConn()
	if err != nil {
		return fmt.Errorf("user of the peer: %w", err)
	}
	var cred *syscall.Ucred
	var credErr error
	err = raw.Control(func(fd uintptr) {
		cred, credErr = syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	})
	if err == nil {
		err = credErr
	}
	if err != nil {
		return fmt.Errorf("user of the peer: %w", err)
	}
	if own := os.Geteuid(); int(cred.Uid) != own {
		return fmt.Errorf("%w: the peer is user %d, process %d, and we are user %d", ErrRefused, cred.Uid, cred.Pid, own)
	}
	return nil
}
