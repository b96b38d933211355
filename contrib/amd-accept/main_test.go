package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
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

// TestEngines: what a suite says becomes a line, and one that is not heard of has failed.
func TestEngines(t *testing.T) {
	s := suite{engine: "x", test: "T"}
	pass, fail := `{"Action":"pass","Test":"T","Elapsed":2.5}`, `{"Action":"output","Test":"T","Output":"it broke"}{"Action":"fail","Test":"T"}`
	for _, c := range []struct {
		out     string
		failure error
		result  string
		why     string
	}{
		{pass, nil, "pass", ""},
		{`{"Action":"skip","Test":"T"}{"Action":"output","Output":"why"}`, nil, "skip", "why"},
		{fail, errors.New("status 1"), "fail", "it broke"},
		{"", errors.New("no such test"), "fail", "no such test"},
		{pass, errors.New("it crashed after that"), "fail", "it crashed"},
	} {
		if e := s.judge(strings.NewReader(c.out), c.failure); e.Result != c.result || !strings.Contains(e.Why, c.why) {
			t.Errorf("%q: %+v", c.out, e)
		}
	}
	good := report{Devices: []device{{Checks: []check{{Result: "pass"}}}}, Engines: []engine{{Name: "x", Result: "pass", Seconds: 2.5}, {Name: "y", Result: "skip"}}}
	if !good.good() || !strings.Contains(good.table(), "| x | pass | 2.5 |") {
		t.Errorf("%v", good.table())
	}
	good.Engines[1].Result = "fail"
	if good.good() {
		t.Error("a failed engine is good")
	}
}

// TestSuitesExist: each suite is a test, and says what it lacks.
func TestSuitesExist(t *testing.T) {
	t.Setenv(env.ROCSHMEMShim, "")
	for _, s := range suites() {
		files, err := filepath.Glob(filepath.Join("../..", s.folder, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		there := slices.ContainsFunc(files, func(file string) bool {
			text, err := os.ReadFile(file)
			return err == nil && strings.Contains(string(text), "func "+s.test+"(")
		})
		if !there {
			t.Errorf("%s has no %s", s.folder, s.test)
		}
	}
	if e := suites()[1].run(); e.Result != "skip" || !strings.Contains(e.Why, "native/rocshmem") {
		t.Errorf("without a shim: %+v", e)
	}
}
