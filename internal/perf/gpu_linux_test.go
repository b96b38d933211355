package perf

import (
	"strings"
	"testing"
	"time"

	"github.com/goshmem/goshmem/internal/env"
)

// onHost are options under which everything is quick, without a GPU.
func onHost(t *testing.T) GPUOptions {
	t.Helper()
	t.Setenv(env.HostDevices, "2")
	o := GPUOptions{Options: tiny(t), Platform: "host"}
	o.Rounds, o.Batch, o.Largest = 2, time.Microsecond, 64<<10
	return o
}

// Every row must be there, and every loop must find that what it did has happened.
func TestGPU(t *testing.T) {
	o := onHost(t)
	o.Missing = "nobody is here"
	r, err := GPU(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, row := range r.Rows {
		names = append(names, row.Name)
		if len(row.Samples) != 2 || row.Ours.Median <= 0 || row.Ratio != 0 || (row.Size > 0) != strings.HasSuffix(row.Note, " GB/s") {
			t.Errorf("row %+v", row)
		}
	}
	all := strings.Join(names, "\n")
	for _, want := range []string{"launch, 4 arguments", "launch, 11 arguments", "launch to completion", "write and wait", "host to device 4 KiB", "device to host 64 KiB", "on the device 4 KiB", "device to device 64 KiB", "CopyFrom 4 KiB", "CopyTo 64 KiB"} {
		if !strings.Contains(all, want) {
			t.Errorf("no row %q among\n%s", want, all)
		}
	}
	if notes := strings.Join(r.Notes, "\n"); r.Name != "gpu" || r.Peer != "" || !strings.Contains(notes, "host:0: ") || !strings.Contains(notes, "no ratios: nobody") {
		t.Errorf("record %q, peer %q, notes\n%s", r.Name, r.Peer, notes)
	}
}

// A copy that did nothing is no measurement.
func TestArrived(t *testing.T) {
	if err := arrived(mark, nil); err != nil {
		t.Error(err)
	}
	if err := arrived(0, nil); err == nil || !strings.Contains(err.Error(), "0x0, want 0x5a") {
		t.Errorf("a byte that is still 0: %v", err)
	}
}
