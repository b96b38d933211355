package doctor

import (
	"fmt"
	"slices"
	"strings"
)

// see makes a sight with the check's own fix.
func see(format string, args ...any) Sight { return Sight{Seen: fmt.Sprintf(format, args...)} }

// seeIf is one sight or none.
func seeIf(found bool, format string, args ...any) []Sight {
	if !found {
		return nil
	}
	return []Sight{see(format, args...)}
}

// with gives a sight a fix of its own.
func (s Sight) with(format string, args ...any) Sight {
	s.Fix = fmt.Sprintf(format, args...)
	return s
}

// few joins at most six names.
func few(list []string) string {
	if len(list) <= 6 {
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(list[:5], ", "), len(list)-5)
}

// ranges writes sorted numbers as the kernel does, such as 0-3,8.
func ranges(list []int) string {
	var parts []string
	for i := 0; i < len(list); {
		j := i
		for j+1 < len(list) && list[j+1] == list[j]+1 {
			j++
		}
		if i == j {
			parts = append(parts, fmt.Sprint(list[i]))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", list[i], list[j]))
		}
		i = j + 1
	}
	return strings.Join(parts, ",")
}

// plural is "1 file" or "3 files".
func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// sortedKeys makes reports the same each time.
func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
