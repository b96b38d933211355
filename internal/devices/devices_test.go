package devices

import (
	"errors"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/env"
)

// TestHostDevices: the number of host devices is the user's.
func TestHostDevices(t *testing.T) {
	for _, c := range []struct {
		value string
		want  int
	}{{"", 1}, {"3", 3}, {"64", 64}, {"0", 0}, {"65", 0}, {"two", 0}} {
		t.Setenv(env.HostDevices, c.value)
		d, err := openHost()
		switch {
		case c.want == 0 && (!errors.Is(err, device.ErrArgument) || !strings.Contains(err.Error(), env.HostDevices)):
			t.Errorf("%q: %v", c.value, err)
		case c.want > 0 && (err != nil || d.Count() != c.want):
			t.Errorf("%q: %v, %v", c.value, d, err)
		}
	}
}
