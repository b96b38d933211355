package nodetest

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// wires is what joins the nodes. Each has one interface that leads to all others, and one
// that leads nowhere although it looks the same.
type wires struct {
	delay  time.Duration
	loss   float64 // of packets, 0 to 1
	ports  []*os.File
	cut    []atomic.Bool
	passed atomic.Int64
	wg     sync.WaitGroup
}

// address is where a node is; on its other interface it has dead.
func address(node int) netip.Addr { return netip.AddrFrom4([4]byte{10, 77, 0, byte(node + 1)}) }
func dead(node int) netip.Addr    { return netip.AddrFrom4([4]byte{10, 66, 0, byte(node + 1)}) }

// carry passes packets on from a node until its port is closed.
func (w *wires) carry(node int) {
	buf := make([]byte, 64<<10)
	for {
		n, err := w.ports[node].Read(buf)
		if err != nil {
			return
		}
		if n < 20 || buf[0]>>4 != 4 {
			continue
		}
		to := int(buf[19]) - 1
		if dst, _ := netip.AddrFromSlice(buf[16:20]); to < 0 || to >= len(w.ports) || dst != address(to) {
			continue
		}
		if w.cut[node].Load() || w.cut[to].Load() || rand.Float64() < w.loss {
			continue
		}
		w.passed.Add(1)
		if w.delay == 0 {
			_, _ = w.ports[to].Write(buf[:n]) // what cannot be delivered is lost, as everywhere
			continue
		}
		packet := append([]byte(nil), buf[:n]...)
		time.AfterFunc(w.delay, func() { _, _ = w.ports[to].Write(packet) })
	}
}

// start has the switch work until the test is over.
func (w *wires) start(t *testing.T) {
	for node := range w.ports {
		w.wg.Go(func() { w.carry(node) })
	}
	t.Cleanup(func() {
		for _, p := range w.ports {
			_ = p.Close()
		}
		w.wg.Wait()
	})
}

// tun makes an interface in the namespace of this thread. What is written to the file
// arrives there.
func tun(name string, at netip.Addr) (*os.File, error) {
	fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("/dev/net/tun: %w", err)
	}
	ifr, err := unix.NewIfreq(name)
	if err != nil {
		return nil, err
	}
	ifr.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
	if err := unix.IoctlIfreq(fd, unix.TUNSETIFF, ifr); err != nil {
		return nil, fmt.Errorf("make interface %s: %w", name, err)
	}
	return os.NewFile(uintptr(fd), name), up(name, at)
}

// up gives an interface an address in a network of 24 bits and switches it on.
func up(name string, at netip.Addr) error {
	s, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(s)
	set := func(request uint, fill func(*unix.Ifreq) error) {
		ifr, e := unix.NewIfreq(name)
		if e == nil {
			e = fill(ifr)
		}
		if e == nil {
			e = unix.IoctlIfreq(s, request, ifr)
		}
		if e != nil && err == nil {
			err = fmt.Errorf("interface %s: %w", name, e)
		}
	}
	if at.IsValid() {
		set(unix.SIOCSIFADDR, func(i *unix.Ifreq) error { return i.SetInet4Addr(at.AsSlice()) })
		set(unix.SIOCSIFNETMASK, func(i *unix.Ifreq) error { return i.SetInet4Addr([]byte{255, 255, 255, 0}) })
	}
	set(unix.SIOCSIFFLAGS, func(i *unix.Ifreq) error { i.SetUint16(unix.IFF_UP | unix.IFF_RUNNING); return nil })
	return err
}
