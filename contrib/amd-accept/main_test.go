package main

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/internal/env"
)

// TestNoDevice: a machine without an AMD GPU is told so, and nothing is claimed.
func TestNoDevice(t *testing.T) {
	p, err := find("hip")
	if err == nil { // an AMD GPU is here
		if p.Devices < 1 {
			t.Errorf("found %+v, which has no device", p)
		}
		return
	}
	r, err := examine("hip")
	if !errors.Is(err, gpu.ErrNoDevice) || !strings.Contains(err.Error(), "nothing was checked") || r.good() || status(r, err) != noDevice {
		t.Errorf("%+v, status %d, %v", r, status(r, err), err)
	}
}

func TestMain(m *testing.M) {
	os.Setenv(env.HostDevices, "2")
	os.Exit(m.Run())
}

// TestHost tries the program on the platform that every machine has, with two devices.
func TestHost(t *testing.T) {
	r, err := examine("host")
	if err != nil || !r.good() || status(r, err) != passed || len(r.Devices) != 2 {
		t.Fatalf("%+v, %v", r, err)
	}
	for _, d := range r.Devices {
		if d.Arch != "host" || d.count("pass") < 30 || strings.Count(r.table(), "| host |") != 2 {
			t.Errorf("%+v\n%s", d, r.table())
		}
	}
}

func TestParse(t *testing.T) {
	const out = `{"Action":"run","Test":"T/hip/a"}
{"Action":"pass","Test":"T/hip/a/sub"}
{"Action":"pass","Test":"T/hip/a","Elapsed":0.5}
{"Action":"fail","Test":"T/hip/b"}
{"Action":"skip","Test":"T/hip/c"}
{"Action":"fail","Test":"T/hip"}
`
	list, err := parse(strings.NewReader(out), "T/hip/")
	r := report{Devices: []device{{Checks: list}}}
	if err != nil || len(list) != 3 || r.good() || status(r, nil) != failed || !strings.Contains(r.table(), "| 1 | 1 | 1 |") || list[0].Seconds != 0.5 {
		t.Errorf("%+v, %v", list, err)
	}
	good := device{Checks: []check{{Result: "pass"}}}
	if one := (report{Devices: []device{good, {Checks: list}}}); one.good() || !(report{Devices: []device{good}}).good() || (report{}).good() {
		t.Error("one bad device among two, or none at all, is good")
	}
}
