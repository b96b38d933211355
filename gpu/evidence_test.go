package gpu_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/internal/dl"
	"github.com/goshmem/goshmem/internal/env"
)

// callsFile names a file to which a run of the tests writes what functions of vendors'
// libraries have done their work. docs/evidence.md is made of it.
const callsFile = "GPU_TEST_CALLS"

// calls is what the file has: see package internal/evidence.
type calls struct {
	Machine   string              `json:"machine"`
	Libraries map[string][]string `json:"libraries"`
}

// witnessed runs do and adds what it called to the file, if one is asked for. A parent
// begins a new file, and compiles anew: what is in a cache is called by nobody.
func witnessed(parent bool, do func() int) int {
	path := os.Getenv(callsFile)
	if path == "" {
		return do()
	}
	dl.Watch()
	if parent {
		cache, err := os.MkdirTemp("", "gpu-calls-")
		if err := errors.Join(err, os.Setenv(env.Cache, cache), remove(path)); err != nil {
			fmt.Println(err)
			return 1
		}
		defer os.RemoveAll(cache) // at worst it stays in the folder for temporary files
	}
	status := do()
	if parent && status != 0 { // what has said success may have done something else
		fmt.Println("a run that fails is no evidence:", path, "is not written")
		return max(status, outcome(remove(path)))
	}
	if err := addCalls(path, machine(), onDevices(dl.Witnessed())); err != nil {
		fmt.Println(err)
		return 1
	}
	return status
}

// remove removes a file that may not be there.
func remove(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// machine is the platforms with a library of a vendor, and their devices.
func machine() string {
	text := ""
	for _, p := range gpu.Platforms() {
		if p.Err != nil || p.Library == "" {
			continue
		}
		name := p.Name
		if d, err := gpu.Open(p.Name); err == nil {
			if about, err := d.Properties(); err == nil {
				name = about.Name
			}
		}
		text += fmt.Sprintf("%d x %s, %s %s; ", p.Devices, name, p.Name, p.Version)
	}
	if text == "" {
		return "no GPU"
	}
	return text[:len(text)-2]
}

// onDevices leaves out the libraries of platforms without a device: what they did there
// is evidence of nothing.
func onDevices(witnessed map[string][]string) map[string][]string {
	compilers := map[string]string{"cuda": "nvrtc", "hip": "hiprtc"}
	list := map[string][]string{}
	for _, p := range gpu.Platforms() {
		for _, library := range []string{p.Name, compilers[p.Name]} {
			if functions := witnessed[library]; p.Err == nil && len(functions) > 0 {
				list[library] = functions
			}
		}
	}
	return list
}

// addCalls adds to what the file has: a child has called what its parent has not.
func addCalls(path, machine string, more map[string][]string) error {
	file := calls{Libraries: map[string][]string{}}
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, &file)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	file.Machine = machine
	for library, functions := range more {
		all := append(file.Libraries[library], functions...)
		slices.Sort(all)
		file.Libraries[library] = slices.Compact(all)
	}
	data, err = json.MarshalIndent(file, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(data, '\n'), 0o644)
}

// TestCallsFile: two processes add to one file, and nothing is in it twice.
func TestCallsFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "calls.json")
	must(t, addCalls(path, "first", map[string][]string{"cuda": {"b", "d"}}))
	must(t, addCalls(path, "second", map[string][]string{"cuda": {"a", "b"}, "nvrtc": {"c"}}))
	got := string(get(os.ReadFile(path))(t))
	const want = `{
	"machine": "second",
	"libraries": {
		"cuda": [
			"a",
			"b",
			"d"
		],
		"nvrtc": [
			"c"
		]
	}
}
`
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	must(t, os.WriteFile(path, []byte("no JSON"), 0o600))
	if err := addCalls(path, "third", nil); err == nil {
		t.Error("a file of something else was written over")
	}
}
