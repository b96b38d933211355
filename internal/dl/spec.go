// Package dl opens vendor libraries at run time, binds the functions that we call
// by name, and calls them. Nothing is linked: a program that uses none of these
// libraries starts on a machine that has none, and one that wants a library and does
// not get it says where it looked and why each place failed.
//
// Calls go from Go to C only. A thread of C's that called Go could find the world being
// stopped for the garbage collector, and stall for a minute; so we give C no callbacks,
// and ask it for the state of things instead.
//
// It is the only importer of the foreign-call library, which opens files, finds
// functions, and sets up C in programs without cgo.
package dl

import "path/filepath"

// Spec describes a library: what it is called, where it may lie and what we need
// from it. The zero value of every field but Name and Sonames is right.
type Spec struct {
	// Name is what messages call it, for example "nccl".
	Name string
	// Sonames are the file names to try, the preferred one first. None: the
	// library exists only in forms that cannot be opened, and the note says so.
	Sonames []string
	// Path, if set, is what the user asked for: it alone is tried, because a
	// fallback would hide that the user's wish was not met.
	Path string
	// PathVar is a variable that sets Path, if the vendor has one.
	PathVar string
	// Homes are variables that name an installation of the vendor.
	Homes []Home
	// LoaderFirst has the system loader asked before the homes, as the vendor's own tools do.
	LoaderFirst bool
	// Folders are where the vendor's packages install by default; * stands for a
	// version, and the newest goes first.
	Folders []string
	// Packages are folders below Python's site-packages; * stands for one name.
	Packages []string
	// Settings are variables that must have a value before the library is
	// loaded. One that the user has set, even to nothing, is left alone.
	Settings []Setting
	// Symbols are the functions that we call.
	Symbols []Symbol
	// Version is how to ask the library for its version, if it has a function for it.
	Version VersionCall
	// Note says what a user should know when the library is not there.
	Note string
}

// Home is a variable that names an installation, and where in it libraries lie.
type Home struct {
	Var  string
	Dirs []string
}

// Setting is a variable with the value it gets, and why it needs one.
type Setting struct {
	Name, Value, Why string
}

// Symbol is one function of a library.
type Symbol struct {
	Name     string
	Required bool   // without it the library is of no use to us
	Since    string // version of the library that added it, if known
	For      string // what we need it for
}

// VersionCall is a function of the library that stores its version into Outs
// integers, one per pointer argument. The zero value means that there is none.
type VersionCall struct {
	Symbol string
	Outs   int
	Void   bool // it returns nothing; else a status, 0 for success
	Format func(out []int32) string
}

// Asked is the path that the user gave, links resolved; false: none.
func (s *Spec) Asked() (string, bool) {
	c, asked := s.asked()
	if real, err := filepath.EvalSymlinks(c.name); err == nil {
		return real, asked
	}
	return c.name, asked
}

// wanted is what a message says was not found.
func (s *Spec) wanted() string {
	if c, ok := s.asked(); ok {
		return c.name
	}
	if len(s.Sonames) == 0 {
		return ""
	}
	return s.Sonames[0]
}
