package abi

import (
	"strings"
	"testing"
)

func TestTablesAreComplete(t *testing.T) {
	names := map[string]bool{}
	for _, s := range All() {
		if s.Name == "" || names[s.Name] {
			t.Errorf("library %q has no name of its own", s.Name)
		}
		names[s.Name] = true
		if s.Note == "" {
			t.Errorf("%s: a user who lacks it is not told what to do", s.Name)
		}
		for _, soname := range s.Sonames {
			if !strings.HasPrefix(soname, "lib") || !strings.Contains(soname, ".so") {
				t.Errorf("%s: file name %q", s.Name, soname)
			}
		}
		seen, needed := map[string]bool{}, 0
		for _, f := range s.Symbols {
			if seen[f.Name] || f.For == "" || strings.ContainsAny(f.Name, " ,()") {
				t.Errorf("%s: entry %+v is double or incomplete", s.Name, f)
			}
			seen[f.Name] = true
			if f.Required {
				needed++
			}
		}
		if len(s.Sonames) > 0 && needed == 0 {
			t.Errorf("%s: any file of that name would do", s.Name)
		}
		if v := s.Version; v.Symbol != "" && !seen[v.Symbol] {
			t.Errorf("%s: version function %s is not in the table", s.Name, v.Symbol)
		}
		for _, v := range s.Settings {
			if v.Why == "" {
				t.Errorf("%s: nobody knows why %s is set", s.Name, v.Name)
			}
		}
	}
}

func TestFind(t *testing.T) {
	for _, want := range All() {
		if got, err := Find(want.Name); err != nil || got.Name != want.Name {
			t.Errorf("%s: got %q, %v", want.Name, got.Name, err)
		}
	}
	if _, err := Find("mvapich"); err == nil || !strings.Contains(err.Error(), "mvapich") {
		t.Errorf("error %v", err)
	}
}

func TestVersionDecoding(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{NCCLVersion(2804), "2.8.4"},
		{NCCLVersion(23007), "2.30.7"},
		{NCCLVersion(22809), "2.28.9"},
		{NCCLVersion(21005), "2.10.5"},
		{cudaVersion([]int32{13000}), "13.0"},
		{cudaVersion([]int32{12040}), "12.4"},
		{hipVersion([]int32{50221153}), "5.2.21153"},
		{dotted([]int32{3, 4, 5}), "3.4.5"},
	} {
		if c.got != c.want {
			t.Errorf("got %s, want %s", c.got, c.want)
		}
	}
}
