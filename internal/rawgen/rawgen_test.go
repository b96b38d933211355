package main

import (
	"bytes"
	_ "embed"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// root is the module's folder, as seen from here.
const root = "../.."

// TestGeneratedFilesAreCurrent makes sure that what is committed is what the table
// makes, and that nothing is left of what it no longer makes.
func TestGeneratedFilesAreCurrent(t *testing.T) {
	files, err := generate(text)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(root, name))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what the table makes (%v): run go generate ./shmem/raw", name, err)
		}
	}
	old, err := filepath.Glob(filepath.Join(root, "shmem/raw/*_gen*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range old {
		if name := "shmem/raw/" + filepath.Base(path); files[name] == nil {
			t.Errorf("the table no longer makes %s: delete it", name)
		}
	}
	for name, content := range files {
		if n := bytes.Count(content, []byte("\n")); n > 500 && !strings.HasSuffix(name, "_test.go") && strings.HasSuffix(name, ".go") {
			t.Errorf("%s has %d lines, more than 500: split its section", name, n)
		}
	}
}

//go:embed testdata/seed.txt
var seed string

// seedNames are the names and symptoms of rocshmem4py.
func seedNames() []string {
	var names []string
	for line := range strings.Lines(seed) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			names = append(names, strings.TrimPrefix(line, "! "))
		}
	}
	return names
}

// names are those that the page has a line for.
func (t *table) names() map[string]int {
	all := map[string]int{}
	for _, s := range t.sections {
		for _, r := range s.rows {
			for _, name := range r.shown() {
				all[name]++
			}
		}
	}
	return all
}

func TestEverySeedNameHasARow(t *testing.T) {
	table, err := parse(text)
	if err != nil {
		t.Fatal(err)
	}
	rows, page := table.names(), table.page()
	if n := len(seedNames()); n < 150 {
		t.Fatalf("only %d names in testdata/seed.txt", n)
	}
	for _, name := range seedNames() {
		if rows[name] == 0 || !strings.Contains(page, name) {
			t.Errorf("%s has no row in table.txt", name)
		}
	}
	for name, n := range rows {
		if n > 1 {
			t.Errorf("%s has %d rows", name, n)
		}
	}
}

// TestAtomicMatrix counts what the C++ header and rocshmem4py have.
func TestAtomicMatrix(t *testing.T) {
	table, err := parse(text)
	if err != nil {
		t.Fatal(err)
	}
	header, bound := 0, 0
	for _, s := range table.sections {
		for _, r := range s.rows {
			if strings.HasPrefix(r.name, "rocshmem_TYPE_atomic_") {
				header, bound = header+len(r.functions()), bound+len(r.types("bound"))
			}
		}
	}
	if header != 144 || bound != 69 {
		t.Errorf("%d atomic functions, of which %d are for rocshmem4py; want 144 and 69", header, bound)
	}
}

// TestCollectiveMatrix counts the reductions and broadcasts that the C++ header has for
// the host, and the waits on several elements: three and their vector forms.
func TestCollectiveMatrix(t *testing.T) {
	table, err := parse(text)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, s := range table.sections {
		for _, r := range s.rows {
			got[r.name] += len(r.functions())
		}
	}
	for name, want := range map[string]int{
		"rocshmem_ctx_TYPE_OP_reduce": 36, "rocshmem_ctx_TYPE_OP_reduce_scatter": 36, "rocshmem_ctx_TYPE_broadcast": 13,
		"rocshmem_TYPE_wait_until_any": 23, "rocshmem_TYPE_wait_until_some_vector": 23,
	} {
		if got[name] != want {
			t.Errorf("%d functions for %s, want %d", got[name], name, want)
		}
	}
	const line = "| `rocshmem_ctx_TYPE_OP_reduce`, C++ only: OP is and, or, xor; TYPE is short, int, long, longlong | `err := shmem.AllReduce(ctx, team, dst, src, shmem.And)` |"
	if !strings.Contains(table.page(), line) {
		t.Errorf("the page lacks %s", line)
	}
}

// TestBadTables: what is wrong with a row is said, with its name or line.
func TestBadTables(t *testing.T) {
	for want, rows := range map[string]string{
		"table.txt:1: \"x\" is before the first":  "x\n",
		"a field before the first row":            "= S\n\tno\tx\n",
		"\"maybe\" is unknown":                    "= S\nx\n\tmaybe\ty\n",
		"\"no\" is unknown, empty or there twice": "= S\nx\n\tno\ty\n\tno\tz\n",
		"table.txt: x: must either":               "= S\nx\n",
		"table.txt: y: must either":               "= S\nx\n\tno\ty\ny\n\tno\tz\n\ttyped\tf()\n",
		"go, do and doc belong together":          "= S\nx\n\tgo\t()\n\ttyped\tf()\n",
		"x: has no types":                         "= S\nx\n\tops\tsum\n\ttyped\tf()\n",
		"does not say what package shmem has":     "= S\nx\n\tgo\t()\n\tdo\tf()\n\tdoc\tdoes.\n",
		"\"complex\" is no type":                  "= S\nx_TYPE\n\ttypes\tcomplex\n\ttyped\tf()\n",
		"there and here belong together":          "= S\n! x\n\there\ty\n",
		"f_gen.go: ":                              "= S\nfile f\nrocshmem_x\n\tgo\t(w\n\tdo\t1\n\tdoc\tdoes.\n\ttyped\tf()\n",
	} {
		if _, err := generate(rows); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q in it", rows, err, want)
		}
	}
}

// TestOneLineChange: a function that was not offered is, by its fields alone.
func TestOneLineChange(t *testing.T) {
	const before = "\tno\tno id travels: processes meet through what their launcher tells them, or through the exchange that you pass to InitAttr\n"
	const after = "\tgo\t(w *shmem.World, s *gpu.Stream) (err error)\n\tdo\tuniqueID(w, s)\n\tdoc\tmakes an id.\n\ttyped\terr := w.UniqueID(s)\n"
	changed := strings.Replace(text, before, after, 1)
	files, err := generate(changed)
	if err != nil || changed == text {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"shmem/raw/world_gen.go":    "\nfunc GetUniqueid(w *shmem.World, s *gpu.Stream) (err error) {\n\treturn uniqueID(w, s)\n}\n",
		"docs/from-rocshmem4py.md":  "| `rocshmem_get_uniqueid` | `err := w.UniqueID(s)` | `err := raw.GetUniqueid(w, s)` |\n",
		"shmem/raw/raw_gen_test.go": "err := raw.GetUniqueid(w, s)",
	} {
		if !bytes.Contains(files[name], []byte(want)) {
			t.Errorf("%s lacks %s", name, want)
		}
	}
}
