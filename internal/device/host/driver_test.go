package host

import (
	"runtime"
	"testing"

	"github.com/goshmem/goshmem/internal/device"
)

func TestDriver(t *testing.T) {
	d := start(t, 3)
	if d.Name() != "host" || d.Version() != runtime.Version() || d.Library() != "" || d.Count() != 3 || !d.HostReach() {
		t.Errorf("%s %s %q %d %v", d.Name(), d.Version(), d.Library(), d.Count(), d.HostReach())
	}
	least, greatest, err := d.Priorities(0)
	if ok(t, err); least != 0 || greatest != 0 {
		t.Errorf("priorities %d to %d", least, greatest)
	}
}

// TestNoSuchDevice calls every method with a device that is not there.
func TestNoSuchDevice(t *testing.T) {
	d := start(t, 2)
	const no = 2
	for name, call := range map[string]func() error{
		"Properties":    func() error { _, err := d.Properties(no); return err },
		"MemoryInfo":    func() error { _, _, err := d.MemoryInfo(no); return err },
		"Peer":          func() error { _, err := d.Peer(no, 0); return err },
		"EnablePeer":    func() error { return d.EnablePeer(no, 0) },
		"Alloc":         func() error { _, err := d.Alloc(no, 8); return err },
		"Free":          func() error { return d.Free(no, 8) },
		"AllocPinned":   func() error { _, err := d.AllocPinned(no, 8); return err },
		"FreePinned":    func() error { return d.FreePinned(no, 8) },
		"Copy":          func() error { return d.Copy(no, 8, 8, 0, 0) },
		"CopyIn":        func() error { return d.CopyIn(no, 8, nil, 0, 0) },
		"CopyOut":       func() error { return d.CopyOut(no, nil, 8, 0, 0) },
		"Fill":          func() error { return d.Fill(no, 8, 0, 1, 0, 0) },
		"Export":        func() error { _, err := d.Export(no, 8); return err },
		"Import":        func() error { _, err := d.Import(no, device.IPCHandle{}); return err },
		"CloseImport":   func() error { return d.CloseImport(no, 8) },
		"NewStream":     func() error { _, err := d.NewStream(no, 0); return err },
		"Priorities":    func() error { _, _, err := d.Priorities(no); return err },
		"DestroyStream": func() error { return d.DestroyStream(no, 1) },
		"StreamDone":    func() error { _, err := d.StreamDone(no, 0); return err },
		"StreamWait":    func() error { return d.StreamWait(no, 0, 1) },
		"WriteValue":    func() error { return d.WriteValue(no, 0, 8, 0) },
		"WaitValue":     func() error { return d.WaitValue(no, 0, 8, 0, device.CompareEQ) },
		"NewEvent":      func() error { _, err := d.NewEvent(no, true); return err },
		"DestroyEvent":  func() error { return d.DestroyEvent(no, 1) },
		"Record":        func() error { return d.Record(no, 1, 0) },
		"EventDone":     func() error { _, err := d.EventDone(no, 1); return err },
		"Elapsed":       func() error { _, err := d.Elapsed(no, 1, 1); return err },
		"AddModule":     func() error { _, err := d.AddModule(no, nil); return err },
		"UnloadModule":  func() error { return d.UnloadModule(no, 1) },
		"Function":      func() error { _, err := d.Function(no, 1, ""); return err },
		"FunctionInfo":  func() error { _, err := d.FunctionInfo(no, 1); return err },
		"Launch":        func() error { return d.Launch(no, 1, nil, 0) },
		"BeginCapture":  func() error { return d.BeginCapture(no, 1) },
		"EndCapture":    func() error { _, err := d.EndCapture(no, 1); return err },
		"LaunchGraph":   func() error { return d.LaunchGraph(no, 1, 0) },
		"DestroyGraph":  func() error { return d.DestroyGraph(no, 1) },
	} {
		t.Run(name, func(t *testing.T) { want(t, call(), device.ErrNoDevice, "host:2: "+name, "there are 2") })
	}
}

func TestCloseOfADriverInUse(t *testing.T) {
	d := start(t, 1)
	s := streamOf(t, d, 0)
	p := must[device.Ptr](t)(d.Alloc(0, 8))
	want(t, d.Close(), device.ErrBusy, "given back: 1")
	open := gate(t, d, 0, s)
	want(t, d.Close(), device.ErrBusy, "streams with work: 1")
	ok(t, d.Free(0, p))
	open()
}
