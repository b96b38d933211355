package main

import (
	"errors"
	"testing"

	"github.com/goshmem/goshmem/gpu"
)

// TestPlatforms runs on whatever this machine has; host is always there.
func TestPlatforms(t *testing.T) {
	for _, p := range gpu.Platforms() {
		t.Log(p)
		if p.Err != nil {
			continue
		}
		if err := run(p.Name, 1000); err != nil {
			t.Errorf("%s: %v", p.Name, err)
		}
	}
}

func TestBest(t *testing.T) {
	if err := run("", 1); err != nil {
		t.Error(err)
	}
}

func TestNoSuchDevice(t *testing.T) {
	if err := run("host:63", 1); !errors.Is(err, gpu.ErrNoDevice) {
		t.Errorf("host:63: %v", err)
	}
}

// TestCheck: the check finds a wrong element.
func TestCheck(t *testing.T) {
	d, err := gpu.Open("host")
	if err != nil {
		t.Fatal(err)
	}
	y, err := gpu.Alloc[float32](d, 4)
	if err != nil {
		t.Fatal(err)
	}
	defer y.Close()
	if err := errors.Join(y.Fill(7), y.Set(3, 6)); err != nil {
		t.Fatal(err)
	}
	if err := check(y, nil, 7); err == nil || err.Error() != "element 3 is 6, want 7" {
		t.Errorf("a wrong element: %v", err)
	}
}
