package vendor

// Enter holds the thread, with dev current on it.
func (d *driver) Enter(dev int) (before uintptr, err error) {
	s, err := d.enter(dev)
	if err != nil {
		return 0, err
	}
	if !s.restore {
		return stays, nil
	}
	return s.before, nil
}

// stays is what Enter returns when the thread keeps the device that it has: no context,
// and no device.
const stays = ^uintptr(0)

// Leave gives the thread back as it was.
func (d *driver) Leave(dev int, before uintptr) {
	s := session{d: d, dev: dev, before: before, restore: before != stays}
	s.leave()
}
