package vendor

import (
	"slices"
	"testing"

	"github.com/goshmem/goshmem/internal/abi"
	"github.com/goshmem/goshmem/internal/device"
)

// TestCurrent: a library that is built on the driver finds the device current, and the
// thread has afterwards what it had before.
func TestCurrent(t *testing.T) {
	both(t, func(t *testing.T, m *mock) {
		d := m.must()
		c := d.(device.Current)
		outer := enter(t, c, 0)
		m.take()
		inner := enter(t, c, 1)
		again := enter(t, c, 1)
		c.Leave(1, again)
		c.Leave(1, inner)
		use := m.names(abi.OpUse)[0]
		calls := slices.DeleteFunc(m.take(), func(call string) bool { return len(call) < len(use) || call[:len(use)] != use })
		if len(calls) != 2 || calls[0] == calls[1] {
			t.Errorf("devices were chosen by %q, want the other one and the first again", calls)
		}
		c.Leave(0, outer)
		if _, err := c.Enter(2); err == nil {
			t.Error("there is no device 2")
		}
	})
}

func enter(t *testing.T, c device.Current, dev int) uintptr {
	t.Helper()
	before, err := c.Enter(dev)
	if err != nil {
		t.Fatal(err)
	}
	return before
}
