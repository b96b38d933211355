package dl

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/internal/skip"
)

// compile builds a shared library from C text and returns its path.
func compile(t testing.TB, dir, name, source string, args ...string) string {
	t.Helper()
	cc, err := exec.LookPath("cc")
	if err != nil {
		skip.Now(t, skip.NoCC, "no cc in PATH")
	}
	in, out := filepath.Join(dir, name+".c"), filepath.Join(dir, name)
	if err := os.WriteFile(in, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.Command(cc, append([]string{"-shared", "-fPIC", "-o", out, in}, args...)...)
	if text, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", command, err, text)
	}
	return out
}

func TestOpenLibcWhichIsInTheProcess(t *testing.T) {
	l, r, err := Open(Spec{Name: "libc", Sonames: []string{"libc.so.6"}, Symbols: []Symbol{{Name: "getpid", Required: true}}})
	if err != nil {
		t.Fatal(err)
	}
	if !r.AlreadyLoaded || !strings.HasPrefix(filepath.Base(r.Path), "libc") {
		t.Errorf("already loaded %v from %q", r.AlreadyLoaded, r.Path)
	}
	if addr, err := l.Lookup("getpid"); err != nil || addr == 0 {
		t.Errorf("getpid at %#x, error %v", addr, err)
	}
	if addr, err := l.Lookup("getppid"); addr != 0 || !errors.Is(err, ErrSymbol) {
		t.Errorf("a name outside the table: %#x, error %v", addr, err)
	}
}

func TestOpenBySystemLoaderThenAgain(t *testing.T) {
	spec := Spec{Name: "libm", Sonames: []string{"libm.so.6"}, Symbols: []Symbol{{Name: "cos", Required: true}}}
	_, first, err := Open(spec)
	if err != nil {
		t.Fatal(err)
	}
	_, second, err := Open(spec)
	if err != nil {
		t.Fatal(err)
	}
	if !second.AlreadyLoaded || second.Path != first.Path || !filepath.IsAbs(second.Path) {
		t.Errorf("first %q, second %q (already loaded %v)", first.Path, second.Path, second.AlreadyLoaded)
	}
}

func TestNotFoundListsEveryPlace(t *testing.T) {
	noPython(t)
	t.Setenv("NOWHERE_HOME", "/nowhere")
	_, r, err := Open(Spec{
		Name: "nowhere", Sonames: []string{"libnowhere.so.7"},
		Homes:    []Home{{"NOWHERE_HOME", []string{"lib64", "lib"}}},
		Folders:  []string{"/opt/nowhere/lib"},
		Packages: []string{"nowhere/lib"},
	})
	if !errors.Is(err, ErrNotFound) || errors.Is(err, ErrLoad) {
		t.Fatalf("error %v", err)
	}
	for _, place := range []string{"/nowhere/lib64/libnowhere.so.7", "/nowhere/lib/libnowhere.so.7", "/opt/nowhere/lib/libnowhere.so.7"} {
		if !strings.Contains(err.Error(), place) {
			t.Errorf("%q is not in %q", place, err)
		}
	}
	if r.Attempts[0].Step != "NOWHERE_HOME" || r.Attempts[2].Step != stepLoader {
		t.Errorf("attempts %v", r.Attempts)
	}
	for _, a := range r.Attempts {
		if a.Problem != NoFile {
			t.Errorf("%v: problem %q", a, a.Problem)
		}
	}
}

const answer = "int answer(void) { return 42; }\nint later(void) { return 1; }\nint version(int *v) { *v = 2307; return 0; }\n"

func TestHomeIsFoundByItsVariable(t *testing.T) {
	home := t.TempDir()
	if err := os.Mkdir(filepath.Join(home, "lib"), 0o755); err != nil {
		t.Fatal(err)
	}
	path := compile(t, filepath.Join(home, "lib"), "libhomed.so", answer)
	t.Setenv("HOMED_HOME", home)
	_, r, err := Open(Spec{
		Name: "homed", Sonames: []string{"libhomed.so.1", "libhomed.so"},
		Homes:   []Home{{"HOMED_HOME", []string{"lib64", "lib"}}},
		Symbols: []Symbol{{Name: "answer", Required: true}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if r.Path != path || r.AlreadyLoaded || len(r.Attempts) != 4 {
		t.Errorf("loaded %q (already %v) in %d attempts, want %q in 4", r.Path, r.AlreadyLoaded, len(r.Attempts), path)
	}
	want := fmt.Sprintf("HOMED_HOME: %s: loaded\nloaded %s\n", path, path)
	if text := r.String(); !strings.HasSuffix(text, want) || strings.Count(text, string(NoFile)) != 3 {
		t.Errorf("report:\n%s", text)
	}
}

func TestLinksAreResolved(t *testing.T) {
	dir := t.TempDir()
	real := compile(t, dir, "liblinked.so.1.2.3", answer)
	link := filepath.Join(dir, "liblinked.so.1")
	if err := os.Symlink(filepath.Base(real), link); err != nil {
		t.Fatal(err)
	}
	for name, table := range map[string][]Symbol{"with symbols": {{Name: "answer"}}, "without": nil} {
		l, r, err := Open(Spec{Name: "linked", Path: link, Symbols: table})
		if err != nil {
			t.Fatal(err)
		}
		if r.Path != real || l.Version() != "1.2.3" {
			t.Errorf("%s: path %q version %q, want %q 1.2.3", name, r.Path, l.Version(), real)
		}
	}
}

func TestExplicitPathHasNoFallback(t *testing.T) {
	absent := filepath.Join(t.TempDir(), "libm.so.6")
	_, r, err := Open(Spec{Name: "libm", Sonames: []string{"libm.so.6"}, Path: absent})
	if !errors.Is(err, ErrNotFound) || len(r.Attempts) != 1 || !strings.Contains(err.Error(), absent) {
		t.Errorf("error %v after %v", err, r.Attempts)
	}
}

// Each required function in turn is the one that is missing, then all of them.
func TestMissingRequiredSymbols(t *testing.T) {
	dir := t.TempDir()
	all := []string{"alpha", "beta", "gamma"}
	for i := range len(all) + 1 {
		source, missing := "int dummy;\n", []string{}
		for j, name := range all {
			if i == j || i == len(all) {
				missing = append(missing, name)
				continue
			}
			source += "void " + name + "(void) {}\n"
		}
		path := compile(t, dir, fmt.Sprintf("libpartial%d.so.4.5", i), source)
		spec := Spec{Name: "partial", Path: path}
		for _, name := range all {
			spec.Symbols = append(spec.Symbols, Symbol{Name: name, Required: true, Since: "9." + name, For: "tests"})
		}
		l, r, err := Open(spec)
		var symbols *SymbolError
		if l != nil || !errors.Is(err, ErrSymbol) || !errors.As(err, &symbols) {
			t.Fatalf("library %v, error %v", l, err)
		}
		var got []string
		for _, s := range symbols.Missing {
			got = append(got, s.Name)
		}
		if !slices.Equal(got, missing) || symbols.Version != "4.5" || symbols.Path != path || r.Path != path {
			t.Errorf("missing %v, want %v; %+v", got, missing, symbols)
		}
		for _, part := range append(missing, path, "4.5", "since 9."+missing[0]) {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%q is not in %q", part, err)
			}
		}
	}
}

func TestMissingOptionalSymbol(t *testing.T) {
	path := compile(t, t.TempDir(), "liboptional.so", answer)
	l, r, err := Open(Spec{
		Name: "optional", Path: path,
		Symbols: []Symbol{{Name: "answer", Required: true}, {Name: "later"}, {Name: "newest", Since: "2.31", For: "tests"}},
		Version: VersionCall{Symbol: "version", Outs: 1, Format: func(out []int32) string { return fmt.Sprintf("%d.%d", out[0]/1000, out[0]%1000) }},
	})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(r.Absent, []string{"newest"}) {
		t.Errorf("absent %v", r.Absent)
	}
	if addr, err := l.Lookup("later"); addr == 0 || err != nil {
		t.Errorf("later: %#x, %v", addr, err)
	}
	_, err = l.Lookup("newest")
	var symbols *SymbolError
	if !errors.As(err, &symbols) || !errors.Is(err, ErrSymbol) {
		t.Fatalf("error %v", err)
	}
	want := fmt.Sprintf("optional: %s has no newest (since 2.31); its version is 2.307", path)
	if err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
}

func TestVersionCallThatRefuses(t *testing.T) {
	path := compile(t, t.TempDir(), "librefuses.so.8", "int version(int *v) { *v = 7; return 3; }\n")
	call := VersionCall{Symbol: "version", Outs: 1, Format: func(out []int32) string { return fmt.Sprint(out[0]) }}
	l, _, err := Open(Spec{Name: "refuses", Path: path, Version: call})
	if err != nil {
		t.Fatal(err)
	}
	if v := l.Version(); v != "8" {
		t.Errorf("version %q, want that of the file name", v)
	}
	call.Void = true
	if l, _, err = Open(Spec{Name: "refuses", Path: path, Version: call}); err != nil || l.Version() != "7" {
		t.Errorf("a void call's status was looked at (error %v)", err)
	}
}

func TestMissingDependencyIsNotNotFound(t *testing.T) {
	dir := t.TempDir()
	dep := compile(t, dir, "libdep.so.1", "int dep(void) { return 1; }\n", "-Wl,-soname,libdep.so.1")
	path := compile(t, dir, "libneedy.so", "int dep(void);\nint needy(void) { return dep(); }\n", dep)
	if err := os.Remove(dep); err != nil {
		t.Fatal(err)
	}
	_, r, err := Open(Spec{Name: "needy", Path: path})
	if !errors.Is(err, ErrLoad) || errors.Is(err, ErrNotFound) {
		t.Fatalf("error %v", err)
	}
	if a := r.Attempts[0]; a.Problem != NoDependency || a.Detail != "libdep.so.1" {
		t.Errorf("attempt %+v", a)
	}
	if !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "libdep.so.1") {
		t.Errorf("error %q", err)
	}
}

func TestFilesThatAreNoLibraries(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for path, want := range map[string]Problem{
		write("libtext.so", strings.Repeat("not a library\n", 20)): BadFile,
		write("libempty.so", ""):                                   BadFile,
		dir:                                                        BadFile,
		compile(t, dir, "libunresolved.so", "int gone(void);\nint f(void) { return gone(); }\n"): Unresolved,
	} {
		_, r, err := Open(Spec{Name: "bad", Path: path})
		if !errors.Is(err, ErrLoad) || r.Attempts[0].Problem != want {
			t.Errorf("%s: error %v, want problem %q", path, err, want)
		}
	}
}

// A broken file in the first place does not hide a good one in the second, and
// the report keeps it.
func TestBrokenFileThenGoodOne(t *testing.T) {
	broken, good := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(broken, "libtwice.so"), []byte("text that is no library"), 0o600); err != nil {
		t.Fatal(err)
	}
	path := compile(t, good, "libtwice.so", answer)
	t.Setenv("BROKEN_HOME", broken)
	t.Setenv("GOOD_HOME", good)
	_, r, err := Open(Spec{
		Name: "twice", Sonames: []string{"libtwice.so"},
		Homes: []Home{{"BROKEN_HOME", []string{"."}}, {"GOOD_HOME", []string{"."}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if r.Path != path || r.Attempts[0].Problem != BadFile {
		t.Errorf("path %q, attempts %v", r.Path, r.Attempts)
	}
}

func TestLoadedCopyWinsOverHome(t *testing.T) {
	dir, home := t.TempDir(), t.TempDir()
	first := compile(t, dir, "libonce.so.1", answer, "-Wl,-soname,libonce.so.1")
	compile(t, home, "libonce.so.1", answer, "-Wl,-soname,libonce.so.1")
	table := []Symbol{{Name: "answer", Required: true}}
	if _, _, err := Open(Spec{Name: "once", Path: first, Symbols: table}); err != nil {
		t.Fatal(err)
	}
	t.Setenv("ONCE_HOME", home)
	_, r, err := Open(Spec{Name: "once", Sonames: []string{"libonce.so.1"}, Homes: []Home{{"ONCE_HOME", []string{"."}}}, Symbols: table})
	if err != nil {
		t.Fatal(err)
	}
	if r.Path != first || !r.AlreadyLoaded {
		t.Errorf("loaded %q (already %v), want the copy in the process, %q", r.Path, r.AlreadyLoaded, first)
	}
}

// The library's constructor sees the variable: it must be set in C's environment
// before the load, and only if the user has not set it.
func TestSettingsReachTheConstructor(t *testing.T) {
	source := `#include <stdlib.h>
static int seen = -1;
__attribute__((constructor)) static void look(void) { const char *v = getenv("%s"); seen = v == 0 ? 0 : *v == 0 ? 1 : 2; }
void observed(int *out) { *out = seen; }
`
	format := func(out []int32) string { return [...]string{"unset", "empty", "set"}[out[0]] }
	dir := t.TempDir()
	for name, c := range map[string]struct {
		user string
		want string
		set  []string
	}{
		"DL_TEST_FREE":  {"", "empty", []string{"DL_TEST_FREE="}},
		"DL_TEST_TAKEN": {"mine", "set", nil},
	} {
		if c.user != "" {
			t.Setenv(name, c.user)
		} else {
			t.Cleanup(func() { _ = os.Unsetenv(name) })
		}
		path := compile(t, dir, "lib"+name+".so", fmt.Sprintf(source, name))
		l, r, err := Open(Spec{Name: name, Path: path, Settings: []Setting{{Name: name}},
			Version: VersionCall{Symbol: "observed", Outs: 1, Void: true, Format: format}})
		if err != nil {
			t.Fatal(err)
		}
		if got := l.Version(); got != c.want || !slices.Equal(r.Set, c.set) {
			t.Errorf("%s: the constructor saw it %s, want %s; set %q, want %q", name, got, c.want, r.Set, c.set)
		}
	}
}

func TestLibraryWithoutFileNameSaysWhy(t *testing.T) {
	_, _, err := Open(Spec{Name: "archive", Note: "it is built as a static archive only"})
	want := "archive: there is no shared library to open; it is built as a static archive only"
	if !errors.Is(err, ErrNotFound) || err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
}

func TestReportSurvivesJSON(t *testing.T) {
	_, r, _ := Open(Spec{Name: "nowhere", Sonames: []string{"libnowhere.so.7"}})
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var back Report
	if err := json.Unmarshal(text, &back); err != nil || !reflect.DeepEqual(&back, r) {
		t.Errorf("error %v\n got %+v\nwant %+v", err, back, r)
	}
}

func TestParseMapping(t *testing.T) {
	m, ok := parseMapping("7f00a000-7f00b000 r-xp 00000000 08:01 42 /opt/my libs/libx.so.1\n")
	if !ok || m != (mapping{0x7f00a000, 0x7f00b000, "/opt/my libs/libx.so.1"}) {
		t.Errorf("%+v, %v", m, ok)
	}
	for _, line := range []string{"", "7f00a000-7f00b000 rw-p 00000000 00:00 0\n", "zz-7f00b000 r-xp 0 08:01 42 /x\n", "7f00a000-7f00b000 rw-p 0 00:00 0 [heap]\n"} {
		if m, ok := parseMapping(line); ok {
			t.Errorf("%q gives %+v", line, m)
		}
	}
	list := mappings{m}
	if list.at(m.to) != "" || list.at(m.from) != m.path || list.at(0) != "" {
		t.Error("the end of a mapping belongs to it, or its start does not")
	}
	if list.named("libx.so") != m.path || list.named("libx.so.1") != m.path || list.named("libx.s") != "" {
		t.Error("names")
	}
}
