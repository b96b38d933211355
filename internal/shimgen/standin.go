package main

import (
	"bytes"
	"fmt"
)

// standin is the part of the stand-in that knows the functions: each records and looks at
// its arguments, and then does what the table says with what is in standin.c.
func (t *table) standin() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "/*%s*/\n\nint goshmem_rocshmem_table(void) { return TABLE + %d; }\n\n", mark[:len(mark)-1], t.hash)
	for _, f := range t.exported() {
		if f.probed() {
			fmt.Fprintf(&b, "#ifndef OLD\n")
		}
		fmt.Fprintf(&b, "%s\n{\n%s}\n", f.signature(), f.standinBody())
		if f.probed() {
			b.WriteString("#endif\n")
		}
		b.WriteString("\n")
	}
	return b.Bytes()
}

func (f function) standinBody() string {
	letters, back := "", ""
	for i, p := range f.visible() {
		r := f.t.roles[p.role]
		letters += r.letter
		back += fmt.Sprintf("\t%s = (%s)a[%d];\n", p.name, r.shim, i)
	}
	none := "return"
	if f.returns != "" {
		none = "return 0"
	}
	words := list(f.visible(), func(p param) string { return "(word)" + p.name })
	if words == "" {
		words = "0"
	}
	head := fmt.Sprintf("\tword a[] = {%s};\n\tif (!enter(%q, %q, a)) %s;\n%s", words, f.name, letters, none, back)
	if f.returns == "" {
		return head + "\t" + f.mock + ";\n"
	}
	return head + "\treturn " + f.mock + ";\n"
}
