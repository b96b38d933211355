package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/gpu"
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

// TestHost tries the program on the platform that every machine has.
func TestHost(t *testing.T) {
	r, err := examine("host")
	if err != nil || !r.good() || status(r, err) != passed || r.Arch != "host" {
		t.Errorf("%+v, %v", r, err)
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
	r := report{Checks: list}
	if err != nil || len(list) != 3 || r.good() || status(r, nil) != failed || !strings.Contains(r.row(), "| 1 | 1 | 1 |") || list[0].Seconds != 0.5 {
		t.Errorf("%+v, %v", list, err)
	}
}
