package host

import "github.com/goshmem/goshmem/internal/device"

// Export makes a name of the allocation that begins at p.
func (d *Driver) Export(dev int, p device.Ptr) (device.IPCHandle, error) {
	if err := d.device(dev, "Export"); err != nil {
		return device.IPCHandle{}, err
	}
	b := d.memory.at(uintptr(p))
	switch {
	case b == nil:
		return device.IPCHandle{}, fail(dev, "Export", device.ErrArgument, "no allocation is at %#x", p)
	case b.base != uintptr(p) || b.dev != dev || b.pinned || b.imported:
		return device.IPCHandle{}, fail(dev, "Export", device.ErrArgument, "%#x is in %s of device %d that begins at %#x: only the beginning of an allocation of the same device can be exported", p, b.what(), b.dev, b.base)
	}
	return d.export(dev, b)
}

// Import maps an allocation of another process, or of this one once more.
func (d *Driver) Import(dev int, h device.IPCHandle) (device.Ptr, error) {
	if err := d.device(dev, "Import"); err != nil {
		return 0, err
	}
	b, err := d.mapped(dev, h)
	if err != nil {
		return 0, err
	}
	d.memory.insert(b)
	return device.Ptr(b.base), nil
}

// CloseImport unmaps an import, after the work that is queued now.
func (d *Driver) CloseImport(dev int, p device.Ptr) error {
	return d.take(dev, "CloseImport", p, func(b *block) bool { return b.dev == dev && b.imported })
}
