//go:build !windows

package dl

import (
	"cmp"
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
	for _, name := range []string{"PYTHONPATH", "VIRTUAL_ENV", "CONDA_PREFIX", "PYTHONUSERBASE", "PATH"} {
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
	s.LoaderFirst = true
	want = slices.Concat(want[4:6], want[:4], want[6:])
	if got := names(s); !slices.Equal(got[:len(want)], want) {
		t.Errorf("loader first\n got %q\nwant %q", got, want)
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

// folder makes one and returns its path, links resolved.
func folder(t *testing.T, parts ...string) string {
	t.Helper()
	path := filepath.Join(parts...)
	if err := os.MkdirAll(path, 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// python puts an interpreter into a folder bin, as a file or as a link.
func python(t *testing.T, bin, target string) {
	t.Helper()
	path := filepath.Join(folder(t, bin), "python3")
	var err error
	if target == "" {
		err = os.WriteFile(path, []byte("#!/bin/sh\n"), 0o700)
	} else {
		err = os.Symlink(target, path)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestSiteRootsOfEveryEnvironment: one of each kind, the nearer one first, and none twice.
func TestSiteRootsOfEveryEnvironment(t *testing.T) {
	noPython(t)
	root := t.TempDir()
	extra := folder(t, root, "extra")
	venv := folder(t, root, "venv", "lib", "python3.12", "site-packages")
	if err := os.Symlink("lib", filepath.Join(root, "venv", "lib64")); err != nil {
		t.Fatal(err)
	}
	conda := folder(t, root, "conda", "lib", "python3.11", "site-packages")
	unactivated := folder(t, root, "tool", "lib64", "python3.13", "site-packages")
	base := folder(t, root, "base", "lib", "python3", "dist-packages")
	user := folder(t, root, "user", "lib", "python3.12", "site-packages")
	python(t, filepath.Join(root, "base", "bin"), "")
	python(t, filepath.Join(root, "tool", "bin"), filepath.Join(root, "base", "bin", "python3"))
	t.Setenv("PYTHONPATH", extra+string(filepath.ListSeparator)+filepath.Join(root, "absent"))
	t.Setenv("VIRTUAL_ENV", filepath.Join(root, "venv"))
	t.Setenv("CONDA_PREFIX", filepath.Join(root, "conda"))
	t.Setenv("PATH", filepath.Join(root, "tool", "bin"))
	t.Setenv("PYTHONUSERBASE", filepath.Join(root, "user"))
	want := []string{extra, venv, conda, unactivated, base, user}
	if got := siteRoots(); len(got) < len(want) || !slices.Equal(got[:len(want)], want) {
		t.Errorf("roots\n got %q\nwant %q first", got, want)
	}
}

// TestWheelLayouts: every component has a folder of its own, or all of a release
// have one; Conda keeps them among its own libraries.
func TestWheelLayouts(t *testing.T) {
	noPython(t)
	root := t.TempDir()
	site := folder(t, root, "lib", "python3.12", "site-packages")
	files := []string{
		write(t, "", root, "lib", "libthing.so.2"),
		write(t, "", site, "nvidia", "cu13", "lib", "libthing.so.2"),
		write(t, "", site, "nvidia", "cu9", "lib", "libthing.so.2"),
		write(t, "", site, "_rocm_sdk_libraries_gfx94X", "lib", "libthing.so.2"),
	}
	t.Setenv("CONDA_PREFIX", root)
	s := Spec{Sonames: []string{"libthing.so.2"}, Packages: []string{"nvidia/*/lib", "_rocm_sdk_libraries*/lib"}}
	want := []string{"system loader libthing.so.2", "CONDA_PREFIX " + files[0]}
	for _, file := range files[1:] {
		want = append(want, "site-packages "+file)
	}
	if got := names(s); !slices.Equal(got[:len(want)], want) {
		t.Errorf("order\n got %q\nwant %q", got, want)
	}
}

func TestNewestInstallationGoesFirst(t *testing.T) {
	root := t.TempDir()
	var want []string
	for _, version := range []string{"rocm-10.0", "rocm-7.2", "rocm-7.1.1", "rocm-7.1", "rocm-6.10.0", "rocm-6.4.1"} {
		want = append(want, "usual folder "+write(t, "", root, version, "lib", "libthing.so"))
	}
	s := Spec{Sonames: []string{"libthing.so"}, Folders: []string{filepath.Join(root, "rocm-*", "lib")}}
	if got := names(s)[1:]; !slices.Equal(got, want) {
		t.Errorf("order\n got %q\nwant %q", got, want)
	}
}

func TestFolderIsNamedOnce(t *testing.T) {
	got := tried([]Attempt{
		{Step: "A_HOME", Path: "/a/libx.so.2"}, {Step: "A_HOME", Path: "/a/libx.so.1"}, {Step: "A_HOME", Path: "/b/libx.so.1"},
		{Step: stepLoader, Path: "libx.so.2"}, {Step: stepLoader, Path: "libx.so.1"}, {Step: "no path"}, {Step: "no path"},
	})
	if want := []string{"/a/libx.so.2", "/b/libx.so.1", "libx.so.2", "libx.so.1", "no path"}; !slices.Equal(got, want) {
		t.Errorf("places %q, want %q", got, want)
	}
}

func TestCompareVersions(t *testing.T) {
	order := []string{"cuda-9.2/lib", "cuda-12/lib", "cuda-12.4/lib", "cuda-12.04.1/lib", "cuda-12.10/lib", "cuda-x/lib"}
	for i, a := range order {
		for j, b := range order {
			if got := compareVersions(a, b); got != cmp.Compare(i, j) {
				t.Errorf("%s against %s: %d, want %d", a, b, got, cmp.Compare(i, j))
			}
		}
	}
}
