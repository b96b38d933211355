package gpu

import "sync/atomic"

// cache holds the properties of a device once they are known: launches look at them.
type cache = atomic.Pointer[Properties]

// limits are the properties, asked for once.
func (d *Device) limits() (*Properties, error) {
	if p := d.info.Load(); p != nil {
		return p, nil
	}
	p, err := d.driver().Properties(d.index)
	if err != nil {
		return nil, err
	}
	d.info.Store(&p)
	return &p, nil
}
