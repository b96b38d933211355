package vendor

import (
	"fmt"
	"strings"

	"github.com/goshmem/goshmem/internal/abi"
	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/dl"
)

// Properties describes a device.
func (d *driver) Properties(dev int) (device.Properties, error) {
	p, err := d.described(dev)
	if err != nil {
		return device.Properties{}, err
	}
	p.Arch, err = d.arch(d, dev, p.ComputeMajor, p.ComputeMinor)
	return p, err
}

func (d *driver) described(dev int) (device.Properties, error) {
	s, err := d.enter(dev)
	if err != nil {
		return device.Properties{}, err
	}
	defer s.leave()
	var p device.Properties
	if err := s.numbers(&p); err != nil {
		return p, err
	}
	total, err := s.word(abi.OpTotal, uintptr(dev))
	if err != nil {
		return p, err
	}
	p.Memory = uint64(total)
	if p.Name, err = s.text(abi.OpDeviceName); err != nil {
		return p, err
	}
	if p.PCI, err = s.text(abi.OpPCI); err != nil {
		return p, err
	}
	p.PCI = strings.ToLower(p.PCI)
	p.UUID, err = s.uuid()
	return p, err
}

// numbers asks for all attributes that are a number.
func (s *session) numbers(p *device.Properties) error {
	a := &s.d.attributes
	var waitValues, integrated int
	for _, q := range []struct {
		to        *int
		attribute uintptr
	}{
		{&p.Processors, a.processors}, {&p.WarpSize, a.warp}, {&p.MaxThreads, a.threads},
		{&p.MaxGrid[0], a.gridX}, {&p.MaxGrid[1], a.gridY}, {&p.MaxGrid[2], a.gridZ},
		{&p.MaxShared, a.shared}, {&p.MaxDynamic, a.dynamic}, {&p.ClockKHz, a.clock},
		{&p.ComputeMajor, a.major}, {&p.ComputeMinor, a.minor},
		{&waitValues, a.waitValues}, {&integrated, a.integrated},
	} {
		if q.attribute == 0 {
			continue
		}
		v, err := s.word(abi.OpAttribute, q.attribute, uintptr(s.dev))
		if err != nil {
			return err
		}
		*q.to = int(int32(v))
	}
	p.WaitValues = waitValues != 0 && s.d.fn[abi.OpWaitValue] != 0
	p.Integrated = integrated != 0
	p.MaxDynamic = max(p.MaxDynamic, p.MaxShared)
	return nil
}

// text asks for a string about the device.
func (s *session) text(op abi.Op) (string, error) {
	b := dl.OutSlice[byte](s.scratch(), maxText)
	err := s.call(op, dl.Addr(&b[0]), uintptr(len(b)), uintptr(s.dev))
	return text(b), err
}

// uuid is "" for a library that is too old to tell.
func (s *session) uuid() (string, error) {
	if s.d.fn[abi.OpUUID] == 0 {
		return "", nil
	}
	out := dl.Out[[16]byte](s.scratch())
	err := s.call(abi.OpUUID, dl.Addr(out), uintptr(s.dev))
	return uuidText(*out), err
}

// uuidText is what nvidia-smi prints; AMD's 16 bytes are digits themselves.
func uuidText(b [16]byte) string {
	if strings.Trim(string(b[:]), "0123456789abcdefABCDEF") == "" {
		return "GPU-" + strings.ToLower(string(b[:]))
	}
	return fmt.Sprintf("GPU-%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// MemoryInfo returns the bytes that are free and that there are.
func (d *driver) MemoryInfo(dev int) (free, total uint64, err error) {
	s, err := d.enter(dev)
	if err != nil {
		return 0, 0, err
	}
	defer s.leave()
	return s.memoryInfo()
}

func (s *session) memoryInfo() (free, total uint64, err error) {
	f, t := dl.Out[uint64](s.scratch()), dl.Out[uint64](s.scratch())
	err = s.call(abi.OpMemoryInfo, dl.Addr(f), dl.Addr(t))
	return *f, *t, err
}

// Peer says what dev can do with the memory of peer.
func (d *driver) Peer(dev, peer int) (device.PeerAccess, error) {
	if dev == peer {
		return device.PeerAccess{Access: true, Atomics: true}, nil
	}
	s, err := d.enter(dev)
	if err != nil {
		return device.PeerAccess{}, err
	}
	defer s.leave()
	access, err := s.word(abi.OpCanPeer, uintptr(dev), uintptr(peer))
	if err != nil {
		return device.PeerAccess{}, err
	}
	atomics, err := s.word(abi.OpPeerAttr, d.attributes.peerAtomics, uintptr(dev), uintptr(peer))
	return device.PeerAccess{Access: int32(access) != 0, Atomics: int32(access) != 0 && int32(atomics) != 0}, err
}

// EnablePeer lets dev load and store memory of peer. That it was enabled before, by
// whomever, is as good.
func (d *driver) EnablePeer(dev, peer int) error {
	if dev == peer {
		return nil
	}
	token, err := d.token(peer)
	if err != nil {
		return err
	}
	s, err := d.enter(dev)
	if err != nil {
		return err
	}
	defer s.leave()
	status := d.status(abi.OpPeer, token, 0)
	if status != success && status != d.peerAlready {
		return d.failed(abi.OpPeer, dev, status)
	}
	return nil
}

// inUse is a device whose context this process has, else the first.
func (d *driver) inUse() int {
	for dev := range d.devices {
		if d.devices[dev].taken.Load() {
			return dev
		}
	}
	return 0
}
