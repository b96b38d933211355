package vendor

import "github.com/goshmem/goshmem/internal/dl"

// Call calls a function of another library with dev current.
func (d *driver) Call(dev int, fn uintptr, args ...uintptr) (uintptr, error) {
	s, err := d.enter(dev)
	if err != nil {
		return 0, err
	}
	defer s.leave()
	return dl.Call(fn, args...), nil
}
