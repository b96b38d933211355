package main

import (
	"bytes"
	"fmt"
	"strings"
)

// intro begins the page.
const intro = `# The shim over rocSHMEM

<!-- Made by internal/shimgen from its table.txt: edit that. -->

rocSHMEM is a static archive with device code in it, which cannot be opened at run time.
` + "`native/rocshmem`" + ` makes a small shared library out of it, the shim, which has a C function
for each function of rocSHMEM's host interface that the engine calls. How to build it is
in its README. This page, the shim, the Go functions that call it, and the stand-in that
tests run on are made from one table, so that they cannot drift apart; when the shim is
loaded, its number of the table is compared as well.

The shim needs rocSHMEM 3.5. What is newer is looked for when it is built, and left out if
it is not there. What each function has been seen to do, and where, is in
[evidence.md](evidence.md): nothing of it has run on an AMD GPU.
`

// page is docs/rocshmem-shim.md.
func (t *table) page() []byte {
	var b bytes.Buffer
	b.WriteString(intro)
	for _, s := range t.sections {
		fmt.Fprintf(&b, "\n## %s\n\n", s.title)
		for _, p := range s.intro {
			b.WriteString(p + "\n\n")
		}
		b.WriteString("| rocSHMEM | arguments | since | for |\n|---|---|---|---|\n")
		for _, r := range s.rows {
			b.WriteString(r.line())
		}
	}
	return b.Bytes()
}

func (r *row) line() string {
	name := "`rocshmem_" + r.name + "`"
	if r.name == "get_backend_type" {
		name = "`" + r.name + "`"
	}
	if len(r.own) > 0 {
		name = "`goshmem_rocshmem_" + r.name + "`, the shim's own"
	}
	if r.fields["no"] != "" {
		return fmt.Sprintf("| %s | | | not called: %s |\n", name, r.fields["no"])
	}
	for _, f := range []string{"types", "ops"} {
		if r.fields[f] != "" {
			name += fmt.Sprintf(", %s %s", strings.ToUpper(strings.TrimSuffix(f, "s")), strings.Join(strings.Fields(r.fields[f]), " "))
		}
	}
	what := r.fields["for"]
	if r.fields["inside"] != "" {
		what = "inside the shim: " + what
	}
	since := r.fields["since"]
	if r.fields["probe"] != "" {
		since = "looked for"
	}
	return fmt.Sprintf("| %s | %s | %s | %s |\n", name, list(r.params, func(p param) string { return p.name }), since, what)
}
