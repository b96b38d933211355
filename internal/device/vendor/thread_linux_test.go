package vendor

import (
	"slices"
	"sync"
	"testing"
)

// The thread gets back what was current on it.
func TestTheCurrentDeviceIsRestored(t *testing.T) {
	cuda, hip := mockCUDA(t), mockHIP(t)
	for _, c := range []struct {
		m    *mock
		want []string
	}{
		{cuda, []string{"cuDevicePrimaryCtxRetain out 1", "cuCtxGetCurrent out", "cuCtxSetCurrent 257", "cuStreamQuery 0", "cuCtxSetCurrent 256"}},
		{hip, []string{"hipGetDevice out", "hipSetDevice 1", "hipStreamQuery 0", "hipSetDevice 0"}},
	} {
		d := c.m.must()
		if _, err := d.StreamDone(0, 0); err != nil {
			t.Fatal(err)
		}
		c.m.take()
		if _, err := d.StreamDone(1, 0); err != nil {
			t.Error(err)
		}
		if got := c.m.take(); !slices.Equal(got, c.want) {
			t.Errorf("calls %q, want %q", got, c.want)
		}
	}
}

// 64 goroutines over both devices: each finds its own current when it allocates.
func TestManyGoroutines(t *testing.T) {
	both(t, func(t *testing.T, m *mock) {
		d := m.must()
		m.control("mock_quiet", 1)
		defer m.control("mock_quiet", 0)
		var wg sync.WaitGroup
		for g := range 64 {
			wg.Go(func() {
				for range 200 {
					// the mock answers with the device that is current on the thread
					if free, _, err := d.MemoryInfo(g % 2); err != nil || free != 5000+uint64(g%2) {
						t.Errorf("device %d: %d bytes, error %v", g%2, free, err)
						return
					}
				}
			})
		}
		wg.Wait()
	})
}
