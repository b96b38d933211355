//go:build !windows

package dl

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// names lists the candidates of s as step and name.
func names(s Spec) []string {
	var list []string
	for _, c := range s.candidates() {
		list = append(list, c.step+" "+c.name)
	}
	return list
}

// noPython hides what Python environments this machine has.
func noPython(t *testing.T) {
	t.Helper()
	for _, name := range []string{"PYTHONPATH", "VIRTUAL_ENV", "CONDA_PREFIX"} {
		t.Setenv(name, "")
	}
	t.Setenv("HOME", t.TempDir())
}

func TestSearchOrder(t *testing.T) {
	noPython(t)
	root := t.TempDir()
	wheel := filepath.Join(root, "lib", "python3.11", "site-packages", "nvidia", "thing", "lib")
	if err := os.MkdirAll(wheel, 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(wheel, "libthing.so.2")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("VIRTUAL_ENV", root)
	t.Setenv("FIRST_HOME", "/first")
	t.Setenv("UNSET_HOME", "")
	s := Spec{
		Sonames:  []string{"libthing.so.2", "libthing.so"},
		Homes:    []Home{{"FIRST_HOME", []string{"lib64", "lib"}}, {"UNSET_HOME", []string{"lib"}}},
		Folders:  []string{"/opt/thing/lib"},
		Packages: []string{"nvidia/*/lib"},
	}
	want := []string{
		"FIRST_HOME /first/lib64/libthing.so.2",
		"FIRST_HOME /first/lib/libthing.so.2",
		"FIRST_HOME /first/lib64/libthing.so",
		"FIRST_HOME /first/lib/libthing.so",
		"system loader libthing.so.2",
		"system loader libthing.so",
		"usual folder /opt/thing/lib/libthing.so.2",
		"usual folder /opt/thing/lib/libthing.so",
		"site-packages " + file,
	}
	if got := names(s); !slices.Equal(got[:len(want)], want) {
		t.Errorf("order\n got %q\nwant %q", got, want)
	}
}

func TestAskedPathIsTheOnlyCandidate(t *testing.T) {
	t.Setenv("THING_HOME", "/home")
	s := Spec{Sonames: []string{"libthing.so"}, PathVar: "THING_LIBRARY", Homes: []Home{{"THING_HOME", []string{"lib"}}}}
	t.Setenv("THING_LIBRARY", "/by/variable.so")
	if got, want := names(s), []string{"THING_LIBRARY /by/variable.so"}; !slices.Equal(got, want) {
		t.Errorf("by variable: %q, want %q", got, want)
	}
	s.Path = "/by/option.so"
	if got, want := names(s), []string{"asked for /by/option.so"}; !slices.Equal(got, want) {
		t.Errorf("by option: %q, want %q", got, want)
	}
}

func TestSitePackagesOfTheNewestPythonGoFirst(t *testing.T) {
	noPython(t)
	root, extra := t.TempDir(), t.TempDir()
	var want []string
	for _, python := range []string{"python3.13", "python3.11", "python3.9"} {
		dir := filepath.Join(root, "lib", python, "site-packages")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		want = append(want, dir)
	}
	t.Setenv("PYTHONPATH", extra)
	t.Setenv("VIRTUAL_ENV", root)
	want = append([]string{extra}, want...)
	if got := siteRoots(); len(got) < 4 || !slices.Equal(got[:4], want) {
		t.Errorf("roots %q, want %q first", got, want)
	}
}

func TestMalformedRootIsReportedAsAMissingFile(t *testing.T) {
	t.Setenv("BAD_HOME", "/a[")
	s := Spec{Sonames: []string{"libx.so"}, Homes: []Home{{"BAD_HOME", []string{"lib"}}}}
	if got := names(s)[0]; got != "BAD_HOME /a[/lib/libx.so" {
		t.Errorf("candidate %q", got)
	}
}
