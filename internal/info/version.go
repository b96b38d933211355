package info

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// Version is the version of goshmem.
const Version = "0.1.0-dev"

// Build says which goshmem this is.
type Build struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"` // of the source, if the build recorded it
	Modified bool   `json:"modified,omitempty"` // the source had changes on top of it
	Go       string `json:"go"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
}

// String is the version, and the revision of the source if that is known.
func (b Build) String() string {
	if b.Revision == "" {
		return b.Version
	}
	text := fmt.Sprintf("%s (revision %.12s", b.Version, b.Revision)
	if b.Modified {
		text += ", modified"
	}
	return text + ")"
}

// ThisBuild reads what the Go command recorded in the program.
func ThisBuild() Build {
	b := Build{Version: Version, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	recorded, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	for _, s := range recorded.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}
