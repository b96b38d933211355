package launcher

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestIsPackage(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, f := range []string{"tool", "main.go"} {
		if err := os.WriteFile(f, nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll("cmd/ring", 0o755); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{
		".": true, "..": true, "./cmd/ring": true, "cmd/ring": true, "./main.go": true, "example.com/x/ring": true,
		"ls": false, "./tool": false, "./missing": false, "../missing": false, "cmd/missing": false, "/no/such.d/x": false, "cmd": false,
	} {
		if got := IsPackage(name); got != want {
			t.Errorf("%q: %v, want %v", name, got, want)
		}
	}
}

// module makes a module of files, name and text in turn, the current folder.
func module(t *testing.T, files ...string) {
	t.Helper()
	t.Chdir(t.TempDir())
	t.Setenv("GOFLAGS", "")
	files = append(files, "go.mod", "module example.com/m\n\ngo 1.24\n")
	for i := 0; i < len(files); i += 2 {
		if err := os.MkdirAll(filepath.Dir(files[i]), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(files[i], []byte(files[i+1]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestBuild(t *testing.T) {
	module(t, "hi/main.go", "package main\n\nfunc main() { println(\"hi\") }\n")
	scratch := t.TempDir()
	for _, pkg := range []string{"./hi", "./hi/main.go", "example.com/m/hi"} {
		program, err := Build(t.Context(), scratch, pkg)
		if err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(program).CombinedOutput(); err != nil || string(out) != "hi\n" {
			t.Errorf("%s: error %v, output %q", pkg, err, out)
		}
		if base := filepath.Base(program); base != "hi" && base != "main" {
			t.Errorf("%s: program is called %s", pkg, base)
		}
	}
}

// TestBuildUnstamped: that the state of the repository is not to be had stops no build.
func TestBuildUnstamped(t *testing.T) {
	module(t, "main.go", "package main\n\nfunc main() {}\n", ".git/HEAD", "", "bin/git", "#!/bin/sh\nexit 1\n")
	bin, err := filepath.Abs("bin")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod("bin/git", 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOFLAGS", "-buildvcs=auto") // whatever a file of the go command says
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	if _, err := Build(t.Context(), t.TempDir(), "."); err != nil {
		t.Error(err)
	}
}

func TestPlan(t *testing.T) {
	module(t, "hi/main.go", "package main\n\nfunc main() {}\n", "lib/lib.go", "package lib\n", "main/doc.go", "package notmain\n")
	for _, c := range []struct{ name, plan, err string }{
		{"./hi", "go build -tags=netgo,osusergo ./hi", ""},
		{"./hi/main.go", "go build -tags=netgo,osusergo ./hi/main.go", ""},
		{"go", "", ""},
		{"./lib", "", "./lib is not a program"},
		{"./main", "", "./main is not a program"},
		{"example.com/m/none", "", "example.com/m/none"},
		{"./none", "", "no such file"},
		{"no-such-program", "", "not found"},
	} {
		plan, err := Plan(t.Context(), c.name)
		if strings.Join(plan, " ") != c.plan || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %q, %v", c.name, plan, err)
		}
	}
	t.Setenv("GOFLAGS", "-tags=mine")
	if plan, err := Plan(t.Context(), "./hi"); err != nil || strings.Join(plan, " ") != "go build ./hi" {
		t.Errorf("with tags of the user's own: %q, %v", plan, err)
	}
}

func TestDoesNotBuild(t *testing.T) {
	module(t, "bad/main.go", "package main\n\nfunc main() { undefinedThing() }\n", "lib/lib.go", "package lib\n", "none/x.txt", "")
	for pkg, want := range map[string]string{
		"./bad":  "undefined: undefinedThing",
		"./lib":  "./lib is not a program: it needs package main",
		"./none": "no Go files in",
	} {
		scratch := t.TempDir()
		_, err := Build(t.Context(), scratch, pkg)
		mustCode(t, err, 1)
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %q lacks %q", pkg, err, want)
		}
	}
	t.Setenv("PATH", t.TempDir())
	_, err := Build(t.Context(), t.TempDir(), "./bad")
	mustCode(t, err, StatusNotFound)
}

func TestUntil(t *testing.T) {
	signals := make(chan os.Signal, 1)
	why := errors.New("own error")
	if err := Until(t.Context(), signals, func(context.Context) error { return why }); err != why {
		t.Errorf("without a signal: %v", err)
	}
	signals <- os.Interrupt
	err := Until(t.Context(), signals, func(ctx context.Context) error { <-ctx.Done(); return why })
	mustCode(t, err, 128+2)
	if !errors.Is(err, ErrStopped) {
		t.Errorf("error %v", err)
	}
}

func TestInScratch(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("TMP", os.Getenv("TMPDIR"))
	why := errors.New("own error")
	var dir string
	err := InScratch(func(d string) error {
		dir = d
		return errors.Join(why, os.WriteFile(filepath.Join(d, "x"), nil, 0o600))
	})
	if !errors.Is(err, why) {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is still there: %v", dir, err)
	}
	t.Setenv("TMPDIR", "/no/such/folder")
	t.Setenv("TMP", "/no/such/folder")
	mustCode(t, InScratch(func(string) error { t.Error("called"); return nil }), 1)
}

// TestStatic: programs are linked statically where there is no loader for others.
func TestStatic(t *testing.T) {
	root := t.TempDir()
	if got, want := static(root), map[bool]string{true: ",goshmem_static"}[runtime.GOOS == "linux" && (runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64")]; got != want {
		t.Errorf("without a loader the tag is %q, want %q", got, want)
	}
	for _, loader := range []string{"lib64/ld-linux-x86-64.so.2", "lib/ld-linux-aarch64.so.1"} {
		file := filepath.Join(root, loader)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, nil, 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	if got := static(root); got != "" {
		t.Errorf("with a loader the tag is %q", got)
	}
}
