package host

import (
	"errors"
	"io"
	"net"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// early is a connection whose first read finds the end before the message, as Linux
// does when both come between its two looks.
type early struct {
	*net.UnixConn
	reads int
}

func (e *early) ReadMsgUnix(b, oob []byte) (n, oobn, flags int, addr *net.UnixAddr, err error) {
	if e.reads++; e.reads == 1 {
		return 0, 0, 0, nil, io.EOF
	}
	return e.UnixConn.ReadMsgUnix(b, oob)
}

// TestReceiveWithoutRoom: a card whose descriptors this process may not open is no stranger's,
// after whom one goes on.
func TestReceiveWithoutRoom(t *testing.T) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(pair[0])
	file := os.NewFile(uintptr(pair[1]), "pair")
	conn, err := net.FileConn(file)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	var limit unix.Rlimit
	if err := errors.Join(file.Close(), unix.Getrlimit(unix.RLIMIT_NOFILE, &limit)); err != nil {
		t.Fatal(err)
	}
	if err := unix.Sendmsg(pair[0], cardBytes(1), unix.UnixRights(pair[0], pair[0]), nil, 0); err != nil {
		t.Fatal(err)
	}
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Max: limit.Max}); err != nil {
		t.Fatal(err)
	}
	_, err = receive(conn.(*net.UnixConn))
	if back := unix.Setrlimit(unix.RLIMIT_NOFILE, &limit); !errors.Is(err, unix.EMFILE) || back != nil {
		t.Errorf("%v; %v", err, back)
	}
}

// TestReceiveBeforeTheEnd: a card that was sent just before the other side closed is
// received; without one the end is the end.
func TestReceiveBeforeTheEnd(t *testing.T) {
	ln, err := net.ListenUnix("unixpacket", &net.UnixAddr{Name: "@goshmem-test-receive-" + t.TempDir(), Net: "unixpacket"})
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	conn, err := net.DialUnix("unixpacket", nil, ln.Addr().(*net.UnixAddr))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	other, err := ln.AcceptUnix()
	if err != nil {
		t.Fatal(err)
	}
	own, err := unix.PidfdOpen(os.Getpid(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(own)
	if err := send(other, card{rank: 7, host: "here", segment: own, process: own}); err != nil {
		t.Fatal(err)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	c, err := receive(&early{UnixConn: conn})
	if err != nil || c.rank != 7 {
		t.Fatalf("got %+v, %v", c, err)
	}
	c.close()
	if _, err := receive(conn); !hungUp(err) {
		t.Errorf("after the last card: %v", err)
	}
}
