package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/internal/doctor"
)

// diagnosis reads what doctor --json printed, and holds the status against it.
func diagnosis(t *testing.T, status int, text string) doctor.Report {
	t.Helper()
	var r doctor.Report
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	want := map[doctor.Severity]int{"": 0, doctor.Note: 0, doctor.Warning: 3, doctor.Error: 4}[r.Worst()]
	if status != want {
		t.Errorf("status %d although the worst finding is %q", status, r.Worst())
	}
	if r.Schema != doctor.Schema || r.Checks < 30 || len(r.Unsupported) > 0 {
		t.Errorf("%+v", r)
	}
	return r
}

func sees(r doctor.Report, id string) bool {
	return slices.ContainsFunc(r.Findings, func(f doctor.Finding) bool { return f.ID == id })
}

// TestDoctorHere: what is found depends on the machine; that the last line counts
// it does not.
func TestDoctorHere(t *testing.T) {
	status, stdout, stderr := call(t, "doctor")
	if (status != 0 && status != 3 && status != 4) || stderr != "" || !strings.HasSuffix(stdout, " checks)\n") {
		t.Errorf("status %d, stderr %q, stdout:\n%s", status, stderr, stdout)
	}
}

func TestDoctorFindsWrongSettings(t *testing.T) {
	t.Setenv("ROCSHMEM_BACKEND", "rdma")
	status, stdout, _ := call(t, "doctor", "--json")
	if r := diagnosis(t, status, stdout); !sees(r, "env.backend") || sees(r, "env.unknown") || r.Processes != 1 {
		t.Errorf("%+v", r)
	}
	t.Setenv("GOSHMEM_HEEP_SIZE", "1")
	status, stdout, _ = call(t, "doctor", "--json")
	if r := diagnosis(t, status, stdout); !sees(r, "env.unknown") || r.Findings[0].Severity != doctor.Error {
		t.Errorf("%+v", r)
	}
}

// TestDoctorOfROCSHMEM: each part of the stack has its row, whatever the machine has.
func TestDoctorOfROCSHMEM(t *testing.T) {
	t.Setenv("ROCSHMEM_HOME", t.TempDir())
	status, stdout, stderr := call(t, "doctor", "rocshmem")
	if status != 4 || stderr != "" || !strings.Contains(stdout, "has no lib/librocshmem.a\n") {
		t.Errorf("status %d, stderr %q, stdout:\n%s", status, stderr, stdout)
	}
	status, stdout, _ = call(t, "doctor", "rocshmem", "--json")
	var rows []doctor.Layer
	if err := json.Unmarshal([]byte(stdout), &rows); err != nil || status != 4 || len(rows) != 6 || rows[4].Name != "shim" {
		t.Errorf("status %d, %v: %+v", status, err, rows)
	}
}

// TestDoctorInAJob: one report, by rank 0, with what differs.
func TestDoctorInAJob(t *testing.T) {
	script := `if [ $GOSHMEM_RANK = 2 ]; then export NCCL_DEBUG=INFO; fi; exec "$0" doctor --json`
	status, stdout, stderr := call(t, "run", "-n", "3", "--no-prefix", "sh", "-c", script, program)
	r := diagnosis(t, status, stdout)
	i := slices.IndexFunc(r.Findings, func(f doctor.Finding) bool { return f.ID == "job.variables" })
	if r.Processes != 3 || i < 0 || r.Findings[i].Seen != "NCCL_DEBUG: none (ranks 0-1), INFO (rank 2)" || strings.Contains(stderr, "also failed") {
		t.Errorf("%+v, stderr %s", r, stderr)
	}
}

// TestDoctorWithoutTheOthers: rank 0 says who is missing, and what it sees itself.
func TestDoctorWithoutTheOthers(t *testing.T) {
	script := `if [ $GOSHMEM_RANK = 1 ]; then exit 0; fi; exec "$0" doctor --json --timeout 2s`
	status, stdout, _ := call(t, "run", "-n", "2", "--no-prefix", "sh", "-c", script, program)
	r := diagnosis(t, status, stdout)
	if !sees(r, "job.meet") || !strings.Contains(r.Findings[0].Seen, "rank 1 (") || !strings.Contains(r.Findings[0].Seen, "exited with status 0 before all had joined") {
		t.Errorf("%+v", r)
	}
}

func TestDoctorMistakes(t *testing.T) {
	for args, want := range map[string]string{
		"doctor celan":                           `unknown command "celan"`,
		"doctor --timeout 0s":                    "must be positive",
		"doctor clean all":                       `unknown command "all"`,
		"doctor --no-such-flag":                  "--no-such-flag",
		"run -n 2 --no-prefix SELF doctor clean": "clean outside of a job",
	} {
		status, _, stderr := call(t, strings.Fields(strings.ReplaceAll(args, "SELF", program))...)
		if status != 2 {
			t.Errorf("%s: status %d, stderr %q", args, status, stderr)
		}
		contains(t, stderr, want)
	}
}

// leftovers makes a folder with two files of jobs, one of them held by a process.
func leftovers(t *testing.T) (dir, free, held string) {
	t.Helper()
	dir = t.TempDir()
	free, held = filepath.Join(dir, "vader_segment.node.4e210001.0"), filepath.Join(dir, "vader_segment.node.4e210001.1")
	for _, path := range []string{free, held} {
		if err := os.WriteFile(path, make([]byte, 2048), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	holder := exec.Command("cat")
	f, err := os.Open(held)
	if err != nil {
		t.Fatal(err)
	}
	holder.ExtraFiles = []*os.File{f}
	in, err := holder.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := in.Close(); err != nil {
			t.Error(err)
		}
		if err := holder.Wait(); err != nil {
			t.Error(err)
		}
	})
	return dir, free, held
}

func there(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// TestDoctorCleanPlaces: a folder may be named from where one is, and must be there.
func TestDoctorCleanPlaces(t *testing.T) {
	dir, free, _ := leftovers(t)
	t.Chdir(filepath.Dir(dir))
	_, stdout, _ := call(t, "doctor", "clean", "--in", filepath.Base(dir))
	contains(t, stdout, free+" (Open MPI, user ")
	for _, place := range []string{"absent", free} {
		status, stdout, stderr := call(t, "doctor", "clean", "--in", place)
		if status != 1 || stdout != "" || !strings.Contains(stderr, "look in "+place) {
			t.Errorf("%s: status %d, stdout %q, stderr %q", place, status, stdout, stderr)
		}
	}
}

func TestDoctorClean(t *testing.T) {
	dir, free, held := leftovers(t)
	if doctor.Confined("/") {
		status, stdout, _ := call(t, "doctor", "clean", "--in", dir, "--yes")
		if status != 0 || !there(free) || !there(held) {
			t.Errorf("in a container: status %d, free there %v, held there %v", status, there(free), there(held))
		}
		contains(t, stdout, "outside of this container", "nothing to delete")
		return
	}
	status, stdout, stderr := call(t, "doctor", "clean", "--in", dir) // /dev/null is its input
	if status != 3 || !strings.Contains(stderr, "nothing was deleted: ") || !there(free) {
		t.Errorf("without an answer: status %d, stderr %q, deleted %v", status, stderr, !there(free))
	}
	contains(t, stdout, "kept: "+held+" (Open MPI, user ", "in use by process ", "2 KiB  "+free+" (Open MPI, user ")

	cmd, _, problems := command(t, "doctor", "clean", "--in", dir)
	cmd.Stdin = strings.NewReader("y\n") // a pipe: nobody to ask
	if status := statusOf(t, cmd.Run()); status != 3 || !strings.Contains(problems.String(), "--yes") || !there(free) {
		t.Errorf("without a terminal: status %d, stderr %q, deleted %v", status, problems, !there(free))
	}

	status, stdout, stderr = call(t, "doctor", "clean", "--in", dir, "--yes")
	if status != 0 || stderr != "" || there(free) || !there(held) {
		t.Errorf("status %d, stderr %q, free there %v, held there %v", status, stderr, there(free), there(held))
	}
	contains(t, stdout, "deleted "+free+"\n")

	status, stdout, _ = call(t, "doctor", "clean", "--in", dir, "--yes")
	if status != 0 || !strings.HasSuffix(stdout, "nothing to delete\n") || !there(held) {
		t.Errorf("again: status %d, stdout %q", status, stdout)
	}
}

// TestAgree: only a clear yes is one.
func TestAgree(t *testing.T) {
	for answer, want := range map[string]string{"y\n": "", "Yes\n": "", "yes": "", "n\n": "nothing was deleted", "\n": "nothing was deleted", "": "no answer", "yess\n": "nothing was deleted"} {
		var out bytes.Buffer
		err := agree(io.MultiReader(strings.NewReader(answer)), &out, "delete it? ")
		if (err == nil) != (want == "") || (err != nil && !strings.Contains(err.Error(), want)) || !strings.HasPrefix(out.String(), "delete it? ") {
			t.Errorf("%q: error %v, asked %q", answer, err, out.String())
		}
	}
}
