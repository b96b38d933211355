package gpu

import (
	"errors"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/device/host"
)

// strange is a platform of its own that is driven as host is.
func strange(t *testing.T, name string) *Device {
	t.Helper()
	p := &platform{name: name, open: func() (device.Driver, error) { return host.Open(2) }}
	if err := p.ready(); err != nil {
		t.Fatal(err)
	}
	return p.devices[0]
}

// TestPlatformsDoNotMix: what belongs to one platform is refused by another.
func TestPlatformsDoNotMix(t *testing.T) {
	d, e := strange(t, "one"), strange(t, "two")
	x, err := Alloc[uint64](d, 4)
	if err != nil {
		t.Fatal(err)
	}
	y, err := Alloc[uint64](e, 4)
	if err != nil {
		t.Fatal(err)
	}
	event, err := d.NewEvent()
	if err != nil {
		t.Fatal(err)
	}
	for says, err := range map[string]error{
		"from two:0 to one:0 there is no direct way: use CopyTo and CopyFrom": x.CopyAsync(y, nil),
		"needs a stream of one:0":                       x.FillAsync(1, e.DefaultStream()),
		"memory of platform one means nothing to two:0": e.DefaultStream().WriteValue(x, 0, 1),
		"synchronize with the event instead":            e.DefaultStream().Wait(event),
		"two:0 is not a device of platform one":         d.EnablePeer(e),
	} {
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
	if err := errors.Join(x.Close(), y.Close(), event.Close()); err != nil {
		t.Error(err)
	}
}

// TestPeerMemory: memory of another device is refused until it was enabled.
func TestPeerMemory(t *testing.T) {
	d := strange(t, "one")
	o := d.p.devices[1]
	x, err := Alloc[uint64](o, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.DefaultStream().WriteValue(x, 0, 1); !errors.Is(err, ErrArgument) || !strings.Contains(err.Error(), "memory of one:1: call EnablePeer on one:0 first") {
		t.Errorf("before: %v", err)
	}
	if err := errors.Join(d.EnablePeer(o), d.DefaultStream().WriteValue(x, 0, 1), d.Synchronize(t.Context()), x.Close()); err != nil {
		t.Error(err)
	}
}

// TestClosedStreamsAreForgotten: a program may make streams without end.
func TestClosedStreamsAreForgotten(t *testing.T) {
	d := strange(t, "one")
	for range 3 {
		s, err := d.NewStream()
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	d.live.Range(func(s, _ any) bool {
		t.Errorf("%v is still known", s)
		return true
	})
}

// TestMasksInErrors: a number that is too large may be the work of a variable.
func TestMasksInErrors(t *testing.T) {
	t.Setenv("ROCR_VISIBLE_DEVICES", "4,5")
	t.Setenv("HIP_VISIBLE_DEVICES", "1")
	p := &platform{name: "hip", devices: make([]*Device, 1)}
	err := beyond(p, 3)
	const says = "there is one device, number 0, and none is 3: ROCR_VISIBLE_DEVICES=4,5, then HIP_VISIBLE_DEVICES=1: hip:0 is the machine's 5"
	if !errors.Is(err, ErrNoDevice) || err.Error() != says {
		t.Errorf("%v, want %q", err, says)
	}
}

// TestErrorText: a driver's error names the device, so that ours need not.
func TestErrorText(t *testing.T) {
	d := strange(t, "one")
	said := &DriverError{Driver: "one", Device: 0, Call: "f", Name: "STATUS", Text: "no luck", Err: ErrMemory}
	for _, c := range []struct {
		err  error
		want string
	}{
		{fail(d, "op", said), "gpu: op: one:0: f: STATUS (no luck)"},
		{fail(d, "op", ErrBusy), "gpu: op on one:0: not ready"},
		{fail(nil, "op", ErrBusy), "gpu: op: not ready"},
	} {
		if c.err.Error() != c.want {
			t.Errorf("%v, want %s", c.err, c.want)
		}
	}
	if fail(d, "op", nil) != nil || !errors.Is(fail(d, "op", said), ErrMemory) {
		t.Error("an error is not what it wraps")
	}
}

// TestMasksAndAbsence: a platform without devices says so if a mask is why, one without a
// library does not.
func TestMasksAndAbsence(t *testing.T) {
	t.Setenv("CUDA_VISIBLE_DEVICES", "")
	p := &platform{name: "cuda"}
	none := p.absence(&DriverError{Driver: "cuda", Device: -1, Call: "cuInit", Name: "CUDA_ERROR_NO_DEVICE", Err: device.ErrNoDevice})
	if want := "cuda: cuInit: CUDA_ERROR_NO_DEVICE: CUDA_VISIBLE_DEVICES= hides all devices"; none.Error() != want || !errors.Is(none, ErrNoDevice) {
		t.Errorf("%v, want %s", none, want)
	}
	if missing := p.absence(ErrUnsupported); missing.Error() != ErrUnsupported.Error() || !errors.Is(missing, ErrNoDevice) {
		t.Errorf("without a library: %v", missing)
	}
}
