package gpu_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/internal/dl"
)

// devices has the stand-in play devices of a compute capability, whose kernels have
// parameters of these sizes.
func devices(capability uintptr, params string) error {
	f, err := tool("mock_gpu")
	if err != nil {
		return err
	}
	s := dl.Borrow()
	defer s.Return()
	dl.Call(f, capability, s.Text(params))
	return nil
}

// standInForTriton launches a kernel of Triton's as Triton's own runtime would do it.
func standInForTriton() error {
	if err := devices(90, "884488"); err != nil {
		return err
	}
	d, err := gpu.Open("cuda:1")
	if err != nil {
		return err
	}
	data := filepath.Dir(totals())
	_, hip := d.LoadTriton(filepath.Join(data, "3.9-gfx942", "total.hsaco"))
	_, old := d.LoadTriton(filepath.Join(data, "3.4-sm_80", "total.cubin"))
	k, err := d.LoadTriton(filepath.Join(totals(), "total.cubin"))
	if err != nil {
		return err
	}
	got, err := launched(k, nil)
	if want := " 3 2 1 128 1 1 16 0 [1099511627776 2199023255552 -5 1073741824 0 0] 0"; err == nil && !strings.HasSuffix(got, want) {
		err = fmt.Errorf("%q, want %q", got, want)
	}
	return errors.Join(err,
		refused(hip, "is for platform hip, this is cuda"),
		refused(old, "is for sm_80, this is sm_90: compile it for that"),
		k.Close(), k.Close(),
		refused(k.Launch(nil, [3]int{1}, uintptr(1), uintptr(1), int32(1), float32(0)), "the kernel is closed"),
		standInForScratch(d), standInForOthers(d))
}

// launched launches a kernel, and returns what the driver got.
func launched(k *gpu.TritonKernel, s *gpu.Stream) (string, error) {
	if _, err := journal(); err != nil {
		return "", err
	}
	if err := k.Launch(s, [3]int{3, 2}, uintptr(1<<40), uintptr(1<<41), int32(-5), float32(2)); err != nil {
		return "", err
	}
	lines, err := journal()
	for _, l := range lines {
		if strings.HasPrefix(l, "cuLaunchKernel ") {
			return l, err
		}
	}
	return "", errors.Join(err, fmt.Errorf("there was no launch: %q", lines))
}

// standInForScratch: a kernel with memory for each of its programs gets the same in one
// stream, another in each stream, and none while a graph is recorded.
func standInForScratch(d *gpu.Device) error {
	folder, err := os.MkdirTemp("", "gpu-triton-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder) // at worst it stays in the folder for temporary files
	name, err := scratchy(folder)
	if err != nil {
		return err
	}
	k, err := d.LoadTriton(name)
	if err != nil {
		return err
	}
	s, err := d.NewStream()
	if err != nil {
		return err
	}
	blocks, _ := d.Allocated()
	var pieces []string
	for _, stream := range []*gpu.Stream{nil, s, s, nil} {
		line, err := launched(k, stream)
		if err != nil {
			return err
		}
		words := strings.Fields(line)
		pieces = append(pieces, words[len(words)-3])
	}
	if pieces[0] == "0" || pieces[1] == pieces[0] || pieces[2] != pieces[1] || pieces[3] != pieces[0] {
		err = fmt.Errorf("scratch memory of the launches: %q", pieces)
	}
	if now, bytes := d.Allocated(); now != blocks+2 || bytes != 2*6*64 {
		err = errors.Join(err, fmt.Errorf("%d pieces of scratch memory, %d bytes", now-blocks, bytes))
	}
	err = errors.Join(err, devices(0, "884488")) // where streams are always captured
	err = errors.Join(err, refused(k.Launch(s, [3]int{1}, uintptr(1), uintptr(1), int32(1), float32(0)), "outside of a capture"), devices(90, "884488"))
	err = errors.Join(err, s.Synchronize(context.Background()), s.Close(), k.Close())
	if now, _ := d.Allocated(); now != blocks {
		err = errors.Join(err, fmt.Errorf("%d pieces of scratch memory are left", now-blocks))
	}
	return err
}

// scratchy is the kernel, as if it needed 64 bytes for each program.
func scratchy(folder string) (string, error) {
	code, err := os.ReadFile(filepath.Join(totals(), "total.cubin"))
	text, failed := os.ReadFile(filepath.Join(totals(), "total.json"))
	changed := strings.Replace(string(text), `"global_scratch_size": 0`, `"global_scratch_size": 64`, 1)
	name := filepath.Join(folder, "total.cubin")
	return name, errors.Join(err, failed, os.WriteFile(name, code, 0o600), os.WriteFile(filepath.Join(folder, "total.json"), []byte(changed), 0o600))
}

// standInForOthers: what a driver knows otherwise than the file.
func standInForOthers(d *gpu.Device) error {
	err := devices(90, "8844")
	_, contradicted := d.LoadTriton(filepath.Join(totals(), "total.cubin"))
	return errors.Join(err, refused(contradicted, "the driver finds parameters of [8 8 4 4] bytes, we find [8 8 4 4 8 8]"))
}
