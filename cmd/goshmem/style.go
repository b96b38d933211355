package main

import (
	"strings"

	"github.com/spf13/cobra"
)

// goStyle lets flags be written with one dash where other tools have them so: the
// flag parser would read -run as -r -u -n. What belongs to the program that is
// run, or to the test binary, stays as it is.
func goStyle(root *cobra.Command, args []string) []string {
	if len(args) == 0 {
		return args
	}
	out := append([]string(nil), args...)
	c, _, err := root.Find(out[:1])
	switch {
	case err != nil:
	case c.Name() == "test":
		oneDash(out[1:upTo(out, "--")], "-np", "-run", "-timeout", "-short", "-verbose")
	case c.Name() == "run":
		oneDash(ownFlags(c, out[1:]), "-np")
	}
	return out
}

// oneDash gives the flags with these names their second dash.
func oneDash(args []string, names ...string) {
	for i, a := range args {
		name, _, _ := strings.Cut(a, "=")
		for _, n := range names {
			if name == n {
				args[i] = "-" + a
			}
		}
	}
}

// upTo returns the index of word, or the length of args.
func upTo(args []string, word string) int {
	for i, a := range args {
		if a == word {
			return i
		}
	}
	return len(args)
}

// ownFlags returns the part of args in front of the program's name.
func ownFlags(c *cobra.Command, args []string) []string {
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a == "--" || !strings.HasPrefix(a, "-"):
			return args[:i]
		case a == "-np" || takesValue(c, a):
			i++
		}
	}
	return args
}

// takesValue says whether a flag as written has its value in the next word.
func takesValue(c *cobra.Command, written string) bool {
	if name, long := strings.CutPrefix(written, "--"); long {
		f := c.Flags().Lookup(name)
		return f != nil && f.NoOptDefVal == ""
	}
	if len(written) != 2 {
		return false
	}
	f := c.Flags().ShorthandLookup(written[1:])
	return f != nil && f.NoOptDefVal == ""
}
