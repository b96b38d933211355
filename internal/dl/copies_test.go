package dl

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func write(t *testing.T, text string, parts ...string) string {
	t.Helper()
	path := filepath.Join(parts...)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// library is the beginning of a file for this machine.
func library(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	return string(text[:64])
}

// TestCopies: links to one file are one copy, files for other machines are none,
// and the asked-for path hides nothing.
func TestCopies(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	head := library(t)
	home := write(t, head, dir, "home", "lib", "libgoshmemtest.so.1")
	path := write(t, head, dir, "path", "libgoshmemtest.so.1")
	write(t, head[:18]+"xx"+head[20:], dir, "other", "libgoshmemtest.so.1")
	write(t, "GROUP ( libgoshmemtest.so.1 )\n", dir, "other", "libgoshmemtest.so")
	if err := os.Symlink(path, filepath.Join(dir, "path", "libgoshmemtest.so")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("LD_LIBRARY_PATH", filepath.Join(dir, "absent")+string(filepath.ListSeparator)+filepath.Join(dir, "other")+string(filepath.ListSeparator)+filepath.Join(dir, "path"))
	t.Setenv("GOSHMEMTEST_HOME", filepath.Join(dir, "home"))
	t.Setenv("GOSHMEMTEST_PATH", home)
	got := Copies(Spec{
		Sonames: []string{"libgoshmemtest.so.1", "libgoshmemtest.so"},
		Homes:   []Home{{"GOSHMEMTEST_HOME", []string{"lib"}}}, PathVar: "GOSHMEMTEST_PATH",
	})
	if want := []string{home, path}; !slices.Equal(got, want) {
		t.Errorf("copies %q, want %q", got, want)
	}
}

func TestLoaderConfiguration(t *testing.T) {
	dir := t.TempDir()
	main := write(t, "# comment\n/first # why\n\ninclude conf.d/*.conf\n/last\n", dir, "ld.so.conf")
	write(t, "/second\ninclude "+main+"\n", dir, "conf.d", "a.conf") // includes itself
	got := configured(main, 0)
	if len(got) < 3 || got[0] != "/first" || got[1] != "/second" || got[len(got)-1] != "/last" {
		t.Errorf("folders %q", got)
	}
}
