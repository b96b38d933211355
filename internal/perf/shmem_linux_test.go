package perf

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestMain makes this test binary the worker of its own measurements.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "peer" {
		peerMain(os.Args[2:])
	}
	if len(os.Args) > 1 && os.Args[1] == "worker" {
		if err := Work(context.Background(), os.Args[2:], os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// tiny measures as little as possible: figures are not looked at here.
func tiny(t *testing.T) Options {
	t.Setenv("GORACE", "atexit_sleep_ms=0") // each process of a race build would sleep for a second
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Options{Rounds: 2, Batch: 20 * time.Microsecond, Worker: []string{self, "worker"}}
}

func measureTiny(t *testing.T) Record {
	t.Helper()
	r, err := Shmem(t.Context(), tiny(t))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// wantedRows are the rows and their limits.
func wantedRows() map[string]float64 {
	return map[string]float64{
		"put 8 B": 1, "put slice 8 B": 0, "P": 1, "get 8 B": 1, "get slice 8 B": 0, "G": 1,
		"atomic fetch add": 2, "atomic compare swap": 2, "atomic swap": 0, "signal set": 0, "put signal 8 B": 0,
		"barrier, 2 PEs": 1.3, "sync, 2 PEs": 1.3, "P and wait, there and back": 0, "barrier, 4 PEs": 0, "barrier, 8 PEs": 0,
		"launch to first barrier, 4 PEs": 2, "launch to finalize, 4 PEs": 0,
		"resident memory, nothing allocated": 1, "its highest so far": 1,
	}
}

func checkRows(t *testing.T, r Record) {
	t.Helper()
	wanted := wantedRows()
	for _, row := range r.Rows {
		limit, known := wanted[row.Name]
		delete(wanted, row.Name)
		again := row
		again.settle()
		if !known || limit != row.Wanted || len(row.Samples) != r.Rounds || !reflect.DeepEqual(again, row) {
			t.Errorf("row %+v: known %v, limit %v; its figures must follow from its samples", row, known, limit)
		}
		for _, s := range row.Samples {
			if s.Ours <= 0 || s.N < 1 {
				t.Errorf("%s: sample %+v", row.Name, s)
			}
		}
	}
	if len(wanted) > 0 {
		t.Errorf("rows that are missing: %v", wanted)
	}
}

func TestShmem(t *testing.T) {
	r := measureTiny(t)
	checkRows(t, r)
	_, noC := exec.LookPath("cc")
	if runtime.NumCPU() < 2 {
		noC = errors.New("one core")
	}
	for _, row := range r.Rows {
		if compared := row.Peer != ""; compared != (row.Ratio > 0) {
			t.Errorf("%s: peer %q, ratio %v", row.Name, row.Peer, row.Ratio)
		}
		if noC == nil && strings.HasSuffix(row.Name, "2 PEs") && row.Peer != pingPongPeer {
			t.Errorf("%s: compared with %q (%s)", row.Name, row.Peer, row.Note)
		}
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var back Record
	if err := json.Unmarshal(text, &back); err != nil || !reflect.DeepEqual(back, r) {
		t.Errorf("%v: the record does not survive JSON:\n%+v\n%+v", err, r, back)
	}
	if r.Schema != Schema || r.Machine.Go == "" || r.When.IsZero() {
		t.Errorf("record of schema %d at %v on %+v", r.Schema, r.When, r.Machine)
	}
}

// Without compilers this program stands in for both programs, and what needs C
// says so.
func TestShmemWithoutCompilers(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	r := measureTiny(t)
	checkRows(t, r)
	for _, row := range r.Rows {
		if strings.HasSuffix(row.Name, "2 PEs") && (row.Note == "" || row.Ratio != 0 || row.Met != nil) {
			t.Errorf("%s: note %q, ratio %v", row.Name, row.Note, row.Ratio)
		}
		if strings.HasPrefix(row.Name, "launch") && (row.Ratio == 0 || !strings.Contains(row.Note, "go command is not in PATH")) {
			t.Errorf("%s: note %q, ratio %v", row.Name, row.Note, row.Ratio)
		}
	}
	if missed := strings.Join(r.Missed(), "; "); !strings.Contains(missed, "barrier, 2 PEs") {
		t.Errorf("missed: %s; a limit that could not be measured is not kept", missed)
	}
}

func TestShmemEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Shmem(ctx, tiny(t)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}

func TestShmemSaysWhatAWorkerSaid(t *testing.T) {
	o := tiny(t)
	o.Worker = append(o.Worker, "nonsense")
	if _, err := Shmem(t.Context(), o); err == nil || !strings.Contains(err.Error(), "workers of a measurement") {
		t.Errorf("error %v, want the worker's own", err)
	}
}

func TestOptions(t *testing.T) {
	for name, o := range map[string]Options{
		"rounds": {Rounds: -1, Worker: []string{"x"}},
		"batch":  {Batch: -1, Worker: []string{"x"}},
		"worker": {},
	} {
		if _, err := Shmem(t.Context(), o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
