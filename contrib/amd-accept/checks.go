package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// report is what was found; it becomes the JSON.
type report struct {
	Version string   `json:"version"` // of HIP
	Library string   `json:"library"`
	Devices []device `json:"devices"`
	Engines []engine `json:"engines"`
}

// device is one GPU, and what it did.
type device struct {
	Name   string  `json:"name"`
	Arch   string  `json:"arch"`
	Checks []check `json:"checks"`
}

// check is one promise of package gpu, and whether the device kept it.
type check struct {
	Name    string  `json:"name"`
	Result  string  `json:"result"` // pass, fail, skip
	Seconds float64 `json:"seconds"`
}

// event is what `go test -json` writes, as far as it is of use here.
type event struct {
	Action, Test string
	Elapsed      float64
}

// checks runs the table of package gpu's tests on a device of a platform.
func checks(platform string, number int) ([]check, error) {
	const top = "TestDevices"
	c := exec.Command("go", "test", "-json", "-count=1", "-timeout=10m", "-run", "^"+top+"$/^"+platform+"$", "github.com/goshmem/goshmem/gpu")
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, os.Stderr
	c.Env = append(os.Environ(), fmt.Sprintf("GPU_TEST_NUMBER=%d", number))
	failure := c.Run()
	list, err := parse(&out, top+"/"+platform+"/")
	if err == nil && len(list) == 0 {
		err = errors.Join(fmt.Errorf("no check of platform %s ran: run this in a checkout of goshmem", platform), failure)
	}
	if err == nil && failure != nil { // a crash is no result of a single check
		list = append(list, check{Name: "all", Result: "fail"})
	}
	return list, err
}

// parse takes the results of the tests right below prefix.
func parse(r io.Reader, prefix string) ([]check, error) {
	var list []check
	for d := json.NewDecoder(r); ; {
		var e event
		if err := d.Decode(&e); errors.Is(err, io.EOF) {
			return list, nil
		} else if err != nil {
			return nil, err
		}
		name, ours := strings.CutPrefix(e.Test, prefix)
		if !ours || strings.Contains(name, "/") {
			continue
		}
		switch e.Action {
		case "pass", "fail", "skip":
			list = append(list, check{name, e.Action, e.Elapsed})
		}
	}
}

func (d device) count(result string) (n int) {
	for _, c := range d.Checks {
		if c.Result == result {
			n++
		}
	}
	return n
}

// good says that on each device something passed and nothing failed, of engines neither.
func (r report) good() bool {
	bad := func(d device) bool { return d.count("pass") == 0 || d.count("fail") > 0 }
	failed := func(e engine) bool { return e.Result == "fail" }
	return len(r.Devices) > 0 && !slices.ContainsFunc(r.Devices, bad) && !slices.ContainsFunc(r.Engines, failed)
}

// table is the report as a table with a line for each device, and one of the engines.
func (r report) table() string {
	text := "| device | arch | HIP | passed | failed | skipped |\n|---|---|---|---|---|---|\n"
	for _, d := range r.Devices {
		text += fmt.Sprintf("| %s | %s | %s | %d | %d | %d |\n", d.Name, d.Arch, r.Version, d.count("pass"), d.count("fail"), d.count("skip"))
	}
	return text + r.engineTable()
}
