package vendor

import (
	"testing"

	"github.com/goshmem/goshmem/internal/device"
)

// A function of another library finds the device current, and the thread is given back
// as it was.
func TestCallOfAnotherLibrary(t *testing.T) {
	both(t, func(t *testing.T, m *mock) {
		d := m.must()
		fn, err := m.controls.Lookup("mock_current")
		if err != nil {
			t.Fatal(err)
		}
		var seen [2]uintptr
		for dev := range seen {
			word, err := d.(device.Caller).Call(dev, fn, 10)
			if err != nil {
				t.Fatal(err)
			}
			seen[dev] = word
		}
		if seen[1] != seen[0]+1 || seen[0] < 10 {
			t.Errorf("current were %v", seen)
		}
		if _, err := d.(device.Caller).Call(2, fn, 0); err == nil {
			t.Error("there is no device 2")
		}
	})
}
