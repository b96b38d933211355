package info

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// readText is the file's text, or "" if it is not there: all of these are optional.
func readText(root, name string) string {
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		return ""
	}
	return string(text)
}

func readLine(root, name string) string { return strings.TrimSpace(readText(root, name)) }

// ParseList reads a kernel list of numbers such as "0-3,8"; nil if it is none.
func ParseList(list string) []int {
	var all []int
	for part := range strings.SplitSeq(strings.TrimSpace(list), ",") {
		low, high, isRange := strings.Cut(part, "-")
		if !isRange {
			high = low
		}
		from, err1 := strconv.Atoi(low)
		to, err2 := strconv.Atoi(high)
		if err1 != nil || err2 != nil || to-from > 1<<20 {
			return nil
		}
		for n := from; n <= to; n++ {
			all = append(all, n)
		}
	}
	return all
}

// word is what follows name on the line that begins with it.
func word(text, name string) string {
	for line := range strings.Lines(text) {
		if words := strings.Fields(line); len(words) >= 2 && words[0] == name {
			return words[1]
		}
	}
	return ""
}

// limitOf reads a line of /proc/self/limits: a name with spaces, soft, hard.
func limitOf(text, name string) Limit {
	for line := range strings.Lines(text) {
		rest, ok := strings.CutPrefix(line, name)
		if words := strings.Fields(rest); ok && len(words) >= 2 {
			return Limit{bound(words[0]), bound(words[1])}
		}
	}
	return Limit{}
}

func bound(text string) int64 {
	if text == "unlimited" {
		return Unlimited
	}
	return amount(text)
}
