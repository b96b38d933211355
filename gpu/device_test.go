package gpu_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/gpu"
)

// wants looks at an error of this package.
func wants(t testing.TB, err, kind error, says string) {
	t.Helper()
	var e *gpu.Error
	switch {
	case err == nil:
		t.Errorf("no error, want one that says %q", says)
	case !errors.As(err, &e):
		t.Errorf("%v is a %T", err, err)
	case kind != nil && !errors.Is(err, kind):
		t.Errorf("%v is not %q", err, kind)
	case !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), "gpu: "):
		t.Errorf("%q, want one line that says %q", err, says)
	}
}

func identity(t *testing.T, d *gpu.Device) {
	if again := open(t, d.Platform()); again != open(t, d.Platform()+":0") || open(t, d.String()) != d {
		t.Errorf("%v and its like are two values", again)
	}
	all := get(gpu.Devices(d.Platform()))(t)
	for i, each := range all {
		if each.Index() != i || open(t, each.String()) != each {
			t.Errorf("device %d is %v", i, each)
		}
	}
	_, err := gpu.Open(d.Platform() + ":99")
	wants(t, err, gpu.ErrNoDevice, "none is 99")
}

func properties(t *testing.T, d *gpu.Device) {
	p := get(d.Properties())(t)
	if p.Name == "" || p.Arch == "" || p.UUID == "" || p.Memory == 0 || p.Processors < 1 || p.MaxThreads < 1 || p.WarpSize < 1 {
		t.Errorf("%+v", p)
	}
	free, total, err := d.MemoryInfo()
	must(t, err)
	if free > total || total == 0 {
		t.Errorf("%d of %d bytes are free", free, total)
	}
	least, greatest, err := d.Priorities()
	must(t, err)
	if greatest > least {
		t.Errorf("priorities from %d to %d", least, greatest)
	}
}

func peer(t *testing.T, d *gpu.Device) {
	o := other(t, d)
	can := get(d.Peer(o))(t)
	if d != o && can.Access {
		must(t, d.EnablePeer(o))
		must(t, d.EnablePeer(o))
	}
	if can := get(d.Peer(nil))(t); can.Access {
		t.Error("access to no device")
	}
	wants(t, d.EnablePeer(nil), gpu.ErrUnsupported, "not a device of platform")
}

func TestOpenErrors(t *testing.T) {
	for name, c := range map[string]struct {
		kind error
		says string
	}{
		"":        {gpu.ErrArgument, `no platform is called "": there are cuda, hip, host`},
		"opencl":  {gpu.ErrArgument, `no platform is called "opencl"`},
		"host:x":  {gpu.ErrArgument, "write cuda:0"},
		"host:":   {gpu.ErrArgument, "write cuda:0"},
		"host:-1": {gpu.ErrArgument, "write cuda:0"},
		"host:64": {gpu.ErrNoDevice, "raise GOSHMEM_HOST_DEVICES"},
	} {
		_, err := gpu.Open(name)
		wants(t, err, c.kind, c.says)
	}
	_, err := gpu.Devices("metal")
	wants(t, err, gpu.ErrArgument, `no platform is called "metal"`)
}

// TestAbsentPlatforms: what cannot be used says why, and what there is.
func TestAbsentPlatforms(t *testing.T) {
	list := gpu.Platforms()
	for _, p := range list {
		if p.Err == nil {
			if p.Devices < 1 || p.Version == "" {
				t.Errorf("%+v", p)
			}
			continue
		}
		_, err := gpu.Open(p.Name)
		wants(t, err, gpu.ErrNoDevice, "host:0")
		if !strings.Contains(p.String(), p.Err.Error()) {
			t.Errorf("%v does not say why: %v", p, p.Err)
		}
	}
	if host := list[len(list)-1]; len(list) != 3 || host.Name != "host" || host.Err != nil {
		t.Errorf("platforms: %v", list)
	}
}

func TestBest(t *testing.T) {
	best := get(gpu.Best())(t)
	for _, p := range gpu.Platforms() {
		if p.Err == nil {
			if best.Platform() != p.Name || best.Index() != 0 {
				t.Errorf("the best is %v, not the first of %v", best, p)
			}
			return
		}
	}
}
