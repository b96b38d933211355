package main

import (
	"bytes"
	"fmt"
	"strings"
)

// families returns the test that calls every member of every family: for each test
// struct and C type one value with the functions that the type has.
func (t *table) families() []byte {
	structs, members := []string{}, map[string]map[string][]string{} // struct -> C type -> fields
	for _, s := range t.sections {
		for _, r := range s.rows {
			kind, field, ok := strings.Cut(r.fields["test"], ".")
			if !ok {
				continue
			}
			if members[kind] == nil {
				structs, members[kind] = append(structs, kind), map[string][]string{}
			}
			for _, m := range r.members() {
				members[kind][m.c] = append(members[kind][m.c], m.name(field)+": raw."+goName(m.name(r.name)))
			}
		}
	}
	var b bytes.Buffer
	b.WriteString("// checkFamilies calls every function that is there for several types.\nfunc checkFamilies(t testing.TB, w *shmem.World) {\n")
	for _, kind := range structs {
		for _, c := range t.cTypes {
			if fields := members[kind][c]; fields != nil {
				fmt.Fprintf(&b, "%s[%s]{%s}.check(t, w, %q)\n", kind, t.goTypes[c], strings.Join(fields, ", "), c)
			}
		}
	}
	b.WriteString("}\n")
	return bytes.Replace(withImports(b.String()), []byte("package raw\n"), []byte("package raw_test\n"), 1)
}
