package doctor

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/internal/info"
)

// stack makes the record of a file, below a new root.
func stack(t *testing.T, parts []section) Stack {
	t.Helper()
	root := t.TempDir()
	var environ []string
	var shim info.Library
	programs := map[string]string{}
	for _, p := range parts {
		switch p.name {
		case "want":
		case "environ":
			environ = strings.Split(strings.TrimSpace(p.text), "\n")
		case "shim.json":
			must(t, json.Unmarshal([]byte(p.text), &shim))
		case "ompi_info", "ucx_info":
			programs[p.name] = p.text
		default:
			put(t, p.text, root, p.name)
		}
	}
	return ReadStack(root, environ, shim, func(program string, _ ...string) string { return programs[program] })
}

// TestRecordedStacks: every kind of row is seen in some record.
func TestRecordedStacks(t *testing.T) {
	for file, text := range records(t, "rocshmem") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			layers := stack(t, sections(text)).Layers()
			var got bytes.Buffer
			must(t, WriteLayers(&got, layers))
			before, want, _ := strings.Cut(text, "-- want --\n")
			if *update {
				must(t, os.WriteFile(file, []byte(before+"-- want --\n"+got.String()), 0o666))
			} else if got.String() != want {
				t.Errorf("found:\n%swant:\n%s", got.String(), want)
			}
			if worst := WorstOf(layers); (worst == "") != (filepath.Base(file) == "complete.txt") {
				t.Errorf("the worst is %q", worst)
			}
			for _, l := range layers {
				if l.Seen == "" || (l.Severity != "") != (l.Why != "" && l.Fix != "") {
					t.Errorf("%+v is not whole", l)
				}
			}
		})
	}
}
