package host

import (
	"crypto/sha256"
	"fmt"
	"os"
	"runtime"

	"github.com/goshmem/goshmem/internal/device"
)

// Properties describe a share of this machine.
func (d *Driver) Properties(dev int) (device.Properties, error) {
	if err := d.device(dev, "Properties"); err != nil {
		return device.Properties{}, err
	}
	_, total := available()
	return device.Properties{
		Name:       fmt.Sprintf("%d cores of this machine (%s)", runtime.GOMAXPROCS(0), runtime.GOARCH),
		Arch:       name,
		UUID:       uuid(dev),
		Memory:     total,
		Processors: runtime.GOMAXPROCS(0),
		WarpSize:   1,
		MaxThreads: maxThreads,
		MaxGrid:    [3]int{maxGrid, maxGridYZ, maxGridYZ},
		WaitValues: true,
		Integrated: true,
	}, nil
}

// uuid tells devices of different machines apart, and those of one.
func uuid(dev int) string {
	machine, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil { // not Linux
		host, _ := os.Hostname() // without one, they are told apart by their numbers only
		machine = []byte(host)
	}
	h := sha256.Sum256(fmt.Appendf(machine, " %d", dev))
	return fmt.Sprintf("%x-%x-%x-%x-%x", h[:4], h[4:6], h[6:8], h[8:10], h[10:16])
}

// MemoryInfo is what this process could still allocate, and what the machine or the
// limit of the process's control group has. All devices share it.
func (d *Driver) MemoryInfo(dev int) (free, total uint64, err error) {
	if err := d.device(dev, "MemoryInfo"); err != nil {
		return 0, 0, err
	}
	if err := d.memory.sweep(dev, "MemoryInfo"); err != nil {
		return 0, 0, err
	}
	free, total = available()
	return free, total, nil
}

// Peer is all there is: devices share the memory and the cores' atomics.
func (d *Driver) Peer(dev, peer int) (device.PeerAccess, error) {
	if err := d.device(dev, "Peer"); err != nil {
		return device.PeerAccess{}, err
	}
	return device.PeerAccess{Access: true, Atomics: true}, d.device(peer, "Peer")
}

// EnablePeer has nothing to do.
func (d *Driver) EnablePeer(dev, peer int) error {
	if err := d.device(dev, "EnablePeer"); err != nil {
		return err
	}
	return d.device(peer, "EnablePeer")
}
