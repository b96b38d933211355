package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// report is what was found; it becomes the JSON.
type report struct {
	Device  string  `json:"device"`
	Arch    string  `json:"arch"`
	Version string  `json:"version"` // of HIP
	Library string  `json:"library"`
	Devices int     `json:"devices"`
	Checks  []check `json:"checks"`
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

// checks runs the table of package gpu's tests on a platform.
func checks(platform string) ([]check, error) {
	const top = "TestDevices"
	c := exec.Command("go", "test", "-json", "-count=1", "-timeout=10m", "-run", "^"+top+"$/^"+platform+"$", "github.com/goshmem/goshmem/gpu")
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, os.Stderr
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

func (r report) count(result string) (n int) {
	for _, c := range r.Checks {
		if c.Result == result {
			n++
		}
	}
	return n
}

// good says that something passed and nothing failed.
func (r report) good() bool { return r.count("pass") > 0 && r.count("fail") == 0 }

// row is the report as a line of a table.
func (r report) row() string {
	return fmt.Sprintf("| device | arch | HIP | devices | passed | failed | skipped |\n|---|---|---|---|---|---|---|\n| %s | %s | %s | %d | %d | %d | %d |\n",
		r.Device, r.Arch, r.Version, r.Devices, r.count("pass"), r.count("fail"), r.count("skip"))
}
