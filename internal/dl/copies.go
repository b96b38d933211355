package dl

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Copies lists every file of a library that a search may meet, links resolved, in
// the order of Open; it loads nothing. More than one means that two programs, or
// two parts of one, may come to use different ones. A path that the user asks for
// is not regarded: other programs do not follow it.
func Copies(spec Spec) []string {
	var list []string
	own := ownFormat()
	spec.Path, spec.PathVar = "", ""
	for _, c := range spec.candidates() {
		places := []string{c.name}
		if c.step == stepLoader {
			places = loaderPlaces(c.name)
		}
		for _, place := range places {
			path, err := filepath.EvalSymlinks(place)
			if err == nil && !slices.Contains(list, path) && format(path) == own {
				list = append(list, path)
			}
		}
	}
	return list
}

// format is what a file begins with that says for which machine it is: libraries
// for another one (32 bits beside 64) do not count, nor do linkers' scripts.
func format(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close() // it was only read
	head := make([]byte, 20)
	if _, err := io.ReadFull(f, head); err != nil {
		return ""
	}
	return string(head[:6]) + string(head[18:]) // mark, class and byte order; machine
}

// ownFormat is that of this program; no file has it if that cannot be read.
func ownFormat() string {
	self, err := os.Executable()
	if err != nil {
		return "unknown"
	}
	return format(self)
}

// loaderPlaces is where the system loader would look for a bare name. Its cache is
// made of the folders in its configuration.
func loaderPlaces(name string) []string {
	dirs := filepath.SplitList(os.Getenv("LD_LIBRARY_PATH"))
	dirs = append(dirs, configured("/etc/ld.so.conf", 0)...)
	dirs = append(dirs, "/lib64", "/usr/lib64", "/lib", "/usr/lib")
	var list []string
	for _, dir := range dirs {
		if dir != "" {
			list = append(list, filepath.Join(dir, name))
		}
	}
	return list
}

// configured reads the folders in the loader's configuration, which may include
// other files; a file that includes itself ends at the depth.
func configured(file string, depth int) []string {
	text, err := os.ReadFile(file)
	if err != nil || depth > 3 {
		return nil
	}
	var dirs []string
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "#")
		line = strings.TrimSpace(line)
		if pattern, ok := strings.CutPrefix(line, "include "); ok {
			for _, more := range include(file, strings.TrimSpace(pattern)) {
				dirs = append(dirs, configured(more, depth+1)...)
			}
		} else if line != "" {
			dirs = append(dirs, line)
		}
	}
	return dirs
}

// include expands a pattern, which is relative to the file that has it.
func include(file, pattern string) []string {
	if !filepath.IsAbs(pattern) {
		pattern = filepath.Join(filepath.Dir(file), pattern)
	}
	found, err := filepath.Glob(pattern)
	if err != nil {
		return nil // a malformed pattern names no file for the loader either
	}
	return found
}
