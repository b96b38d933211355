package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// root is the module's folder, as seen from here.
const root = "../.."

// TestGeneratedFilesAreCurrent makes sure that what is committed is what the table makes.
func TestGeneratedFilesAreCurrent(t *testing.T) {
	files, err := generate(text)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(root, name))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what the table makes (%v): run go generate ./internal/abi/rocshmem", name, err)
		}
	}
}

// TestMistakes: a table that is wrong is refused with the place.
func TestMistakes(t *testing.T) {
	const head = "role a | int | $ | int | int | i | it\nresult r | int | $ | int | int32 | $\n= s\n"
	for _, c := range []struct{ text, want string }{
		{"role a | int", "table.txt:1: 2 columns"},
		{"x\ta b", "before the first section"},
		{"= s\n\tfor\tx", "before the first row"},
		{head + "x\tb y\n\tfor\tz\n\tmock\t0", `x: "b" is no role`},
		{head + "x\ta y\n\tfor\tz", "inside and mock"},
		{head + "x\ta y\n\tmock\t0", "what it is for"},
		{head + "x\ta\n", "no role and name"},
		{head + "x\ta y\n\tno\tz", "yet described"},
		{head + "x\ta y\n\tfro\tz", `field "fro"`},
		{head + "x\ta y\n\treturns\tq\n\tfor\tz\n\tmock\t0", `"q" is no result`},
	} {
		if _, err := parse(c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
}
