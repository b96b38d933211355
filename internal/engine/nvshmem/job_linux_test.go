package nvshmem_test

import (
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goshmem/goshmem/internal/conformance"
	"github.com/goshmem/goshmem/internal/engine/nvshmem"
	"github.com/goshmem/goshmem/launch/launcher"
	"github.com/goshmem/goshmem/shmem"
	"github.com/goshmem/goshmem/shmemtest"
)

// asJob runs tests of this program as a job of two processes over the mock.
func asJob(t *testing.T, tests string, env ...string) (string, error) {
	t.Helper()
	var out shmemtest.Output
	_, err := launcher.Run(t.Context(), launcher.Spec{
		N: 2, Argv: []string{os.Args[0], "-test.run=" + tests, "-test.v"},
		Env:    append(env, nvshmem.MockPath+"="+nvshmem.MockLibrary(t)),
		Merge:  true,
		Output: func(int) (stdout, stderr io.Writer) { return &out, &out },
	})
	return out.String(), err
}

// The tests of a world hold in a job of processes, with devices of their own and with one.
func TestJob(t *testing.T) {
	for devices, marks := range map[string]string{"2": "--- PASS: TestWorldReductions", "1": "--- PASS: TestWorldOnSharedGPU"} {
		out, err := asJob(t, "^TestWorld", nvshmem.MockDevices+"="+devices)
		if err != nil || strings.Count(out, marks) != 2 {
			t.Errorf("devices %s: %v\n%s", devices, err, out)
		}
	}
}

// A PE that dies is an error of the other, which ends by itself.
func TestJobWithADeath(t *testing.T) {
	out, err := asJob(t, "^TestDeath$")
	if err == nil || !strings.Contains(out, "--- PASS: TestDeath") || strings.Contains(out, "--- FAIL") {
		t.Errorf("%v\n%s", err, out)
	}
}

// The suite for all engines on the PEs of a job: here some of it, all of it where the
// variable says so:
//
//	go test -c -o /tmp/nvshmem.test ./internal/engine/nvshmem
//	TEST_NVSHMEM_SUITE=all goshmem run -n 2 /tmp/nvshmem.test -test.run '^TestConformance$'
func TestConformance(t *testing.T) {
	suite := os.Getenv(nvshmem.Suite)
	if suite == "" {
		for devices, some := range map[string]string{"2": "stream:,reduction:", "1": "signal:"} {
			out, err := asJob(t, "^TestConformance$", nvshmem.Suite+"="+some, nvshmem.MockDevices+"="+devices)
			if err != nil {
				t.Errorf("devices %s: %v\n%s", devices, err, out)
			}
		}
		return
	}
	o := shmem.Options{Engine: "nvshmem", HeapSize: 4 << 20, Timeout: 20 * time.Second, Check: shmem.CheckOff, Race: shmem.RaceOff}
	shmemtest.RunProcessesWith(t, 2, o, func(t testing.TB, w *shmem.World) {
		conformance.RunAll(t, w, slices.DeleteFunc(conformance.All(), func(c conformance.Check) bool {
			group, _, _ := strings.Cut(c.Name, " ")
			return suite != "all" && !slices.Contains(strings.Split(suite, ","), group)
		}))
	})
}
