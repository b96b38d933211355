package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/internal/abi"
	"github.com/goshmem/goshmem/internal/info"
	"github.com/goshmem/goshmem/internal/skip"
)

// infoOf builds goshmem, runs info --json and info, and returns both.
func infoOf(t *testing.T, environ ...string) (info.Info, string) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "goshmem")
	if text, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, text)
	}
	run := func(args ...string) []byte {
		c := exec.Command(program, append([]string{"info"}, args...)...)
		c.Env = append(os.Environ(), environ...)
		var problems strings.Builder
		c.Stderr = &problems
		out, err := c.Output()
		if err != nil || problems.Len() > 0 {
			t.Fatalf("%v: %v\n%s", c, err, problems.String())
		}
		return out
	}
	var i info.Info
	if err := json.Unmarshal(run("--json"), &i); err != nil {
		t.Fatal(err)
	}
	return i, string(run())
}

// fake builds a library of C source that stands for a vendor's.
func fake(t *testing.T, dir, soname, source string) string {
	t.Helper()
	cc, err := exec.LookPath("cc")
	if err != nil {
		skip.Now(t, skip.NoCC, "no cc in PATH")
	}
	in, out := filepath.Join(dir, soname+".c"), filepath.Join(dir, soname)
	if err := os.WriteFile(in, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := exec.Command(cc, "-shared", "-fPIC", "-o", out, in).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return out
}

func library(t *testing.T, i info.Info, name string) info.Library {
	t.Helper()
	for _, l := range i.Libraries {
		if l.Name == name {
			return l
		}
	}
	t.Fatalf("%s is not among %v", name, i.Libraries)
	return info.Library{}
}

func TestInfoInAJob(t *testing.T) {
	i, text := infoOf(t, "RANK=1", "WORLD_SIZE=3", "MASTER_ADDR=127.0.0.1", "MASTER_PORT=4", "GOSHMEM_TOKEN=swordfish")
	if i.Schema != info.Schema || i.Launch.Family != "torchrun" || i.Launch.Rank != 1 || i.Launch.Size != 3 {
		t.Errorf("schema %d, launch %+v", i.Schema, i.Launch)
	}
	if len(i.Libraries) != len(abi.All()) || len(i.Engines) == 0 || i.Engines[0].Reason == "" {
		t.Errorf("libraries %v, engines %v", i.Libraries, i.Engines)
	}
	if !strings.Contains(text, "torchrun: rank 1 of 3") || strings.Contains(text, "swordfish") {
		t.Errorf("text:\n%s", text)
	}
}

func TestInfoWithAMistakeInTheEnvironment(t *testing.T) {
	i, text := infoOf(t, "RANK=5", "WORLD_SIZE=3", "GOSHMEM_HEPA_SIZE=1")
	if !strings.Contains(i.Launch.Problem, "RANK") || !strings.Contains(text, "GOSHMEM_HEPA_SIZE") {
		t.Errorf("launch %+v, text:\n%s", i.Launch, text)
	}
}

func TestInfoFindsALibraryAndItsVersion(t *testing.T) {
	source := "int ncclGetVersion(int *v) { *v = 22809; return 0; }\n"
	for _, s := range abi.NCCL().Symbols {
		if s.Required && s.Name != "ncclGetVersion" {
			source += "void " + s.Name + "(void) {}\n"
		}
	}
	path := fake(t, t.TempDir(), "libmine.so", source)
	i, text := infoOf(t, "NCCL_LIBRARY="+path)
	l := library(t, i, "nccl")
	if l.Path != path || l.Version != "2.28.9" || l.Problem != "" || l.Report.Attempts[0].Step != "NCCL_LIBRARY" {
		t.Errorf("%+v", l)
	}
	if !strings.Contains(text, path) || !strings.Contains(text, "ncclCommGrow") {
		t.Errorf("text lacks the path or what this version lacks:\n%s", text)
	}
}

// A library that ends the process in its constructor ends only the process that
// was made for it.
func TestInfoSurvivesALibraryThatCrashes(t *testing.T) {
	for how, statement := range map[string]string{
		"by signal": "*(volatile int *)8 = 1;",
		"by abort":  "abort();",
		"by exit":   "fprintf(stderr, \"no device\\n\"); _exit(7);",
	} {
		t.Run(how, func(t *testing.T) {
			dir := t.TempDir()
			fake(t, dir, "libucp.so.0", "#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n"+
				"__attribute__((constructor)) static void start(void) { "+statement+" }\n")
			i, _ := infoOf(t, "LD_LIBRARY_PATH="+dir)
			if l := library(t, i, "ucx"); l.Path != "" || !strings.Contains(l.Problem, "loading it failed") {
				t.Errorf("ucx: %+v", l)
			}
			if l := library(t, i, "mpi"); strings.Contains(l.Problem, "loading it failed") {
				t.Errorf("mpi went down with ucx: %+v", l)
			}
		})
	}
}
