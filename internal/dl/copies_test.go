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

// TestCopies: links to one file are one copy, and the asked-for path hides nothing.
func TestCopies(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home := write(t, "", dir, "home", "lib", "libgoshmemtest.so.1")
	path := write(t, "", dir, "path", "libgoshmemtest.so.1")
	if err := os.Symlink(path, filepath.Join(dir, "path", "libgoshmemtest.so")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("LD_LIBRARY_PATH", filepath.Join(dir, "absent")+string(filepath.ListSeparator)+filepath.Join(dir, "path"))
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
