package doctor

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/internal/info"
)

// update writes what is found as what is wanted. Read the difference before you
// commit it.
var update = flag.Bool("update", false, "rewrite the wanted findings and docs/doctor.md")

// section is a part of a recorded machine: a heading in dashes and the lines below.
type section struct{ name, text string }

var heading = regexp.MustCompile(`(?m)^-- (.+) --\n`)

// sections takes a record apart; what is in front of the first heading is a comment.
func sections(text string) []section {
	var list []section
	at := heading.FindAllStringSubmatchIndex(text, -1)
	for i, m := range at {
		end := len(text)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		list = append(list, section{text[m[2]:m[3]], text[m[1]:end]})
	}
	return list
}

// asked is what no file of a machine tells. Where a record is silent the machine
// is in order.
type asked struct {
	OS        string         `json:"os"`
	Kernel    info.Kernel    `json:"kernel"`
	Launch    info.Launch    `json:"launch"`
	Links     []Interface    `json:"links"`
	Libraries []info.Library `json:"libraries"`
	Denied    []string       `json:"denied"`
}

func inOrderMachine() asked {
	return asked{
		OS: "linux",
		Kernel: info.Kernel{Host: "node1", Cores: 8, MaxProcs: 8, UID: os.Getuid(), Memfd: true, Pidfd: true, Borrow: true,
			Shm: info.FileSystem{Size: 8 << 30, Free: 8 << 30, Writable: true}},
		Launch: info.Launch{Family: "none", Size: 1, LocalSize: 1},
		Links: []Interface{{Name: "lo", Up: true, Loopback: true, Addresses: []string{"127.0.0.1"}}, {Name: "docker0"},
			{Name: "eth0", Up: true, Addresses: []string{"10.0.0.7"}}, {Name: "wlp2s0", Up: true}},
	}
}

// machine makes the record of a file, below a new root.
func machine(t *testing.T, parts []section) *Machine {
	t.Helper()
	root, a := t.TempDir(), inOrderMachine()
	must(t, os.MkdirAll(filepath.Join(root, "proc/self/ns"), 0o700))
	must(t, os.Symlink(initialNamespace, filepath.Join(root, "proc/self/ns/pid")))
	s := Source{Root: root, Places: []string{"/dev/shm", "/tmp"}, Engines: []string{"host"}}
	for _, p := range parts {
		switch file, target, link := strings.Cut(p.name, " -> "); {
		case p.name == "want":
		case p.name == "environ":
			s.Environ = strings.Split(strings.TrimSpace(p.text), "\n")
		case p.name == "asked.json":
			must(t, json.Unmarshal([]byte(p.text), &a))
		case link:
			must(t, os.MkdirAll(filepath.Dir(filepath.Join(root, file)), 0o700))
			must(t, os.Symlink(target, filepath.Join(root, file)))
		default:
			put(t, p.text, root, file)
		}
	}
	s.OS, s.Kernel, s.Launch, s.Links, s.Libraries = a.OS, a.Kernel, a.Launch, a.Links, a.Libraries
	s.Usable = func(path string) bool {
		return !slices.ContainsFunc(a.Denied, func(d string) bool { return path == filepath.Join(root, d) })
	}
	m := Read(s)
	for i := range m.Devices {
		m.Devices[i].Path = strings.TrimPrefix(m.Devices[i].Path, root)
	}
	return m
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// put writes a file that only its owner may read, and returns its path.
func put(t *testing.T, text string, parts ...string) string {
	t.Helper()
	path := filepath.Join(parts...)
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func find(id string) Check {
	all := Checks()
	return all[slices.IndexFunc(all, func(c Check) bool { return c.ID == id })]
}

// golden holds the findings of a record against those that it wants.
func golden(t *testing.T, file, text string, found []Finding) {
	t.Helper()
	var b strings.Builder
	me := regexp.MustCompile(fmt.Sprintf(`user %d\b`, os.Getuid()))
	for _, f := range found {
		line := fmt.Sprintf("%s %s: %s", f.Severity, f.ID, f.Seen)
		if f.Fix != find(f.ID).Fix {
			line += " => " + f.Fix
		}
		b.WriteString(me.ReplaceAllString(line, "user ME") + "\n")
	}
	before, want, _ := strings.Cut(text, "-- want --\n")
	if *update {
		must(t, os.WriteFile(file, []byte(before+"-- want --\n"+b.String()), 0o666))
	} else if b.String() != want {
		t.Errorf("found:\n%swant:\n%s", b.String(), want)
	}
}

func records(t *testing.T, folder string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", folder, "*.txt"))
	must(t, err)
	all := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		must(t, err)
		all[file] = string(text)
	}
	return all
}

func TestRecordedMachines(t *testing.T) {
	for file, text := range records(t, "machines") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			golden(t, file, text, Diagnose(machine(t, sections(text))))
		})
	}
}

func TestRecordedJobs(t *testing.T) {
	for file, text := range records(t, "jobs") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			golden(t, file, text, Compare(answers(t, sections(text))))
		})
	}
}

// answers reads the facts of each rank.
func answers(t *testing.T, parts []section) []Answer {
	t.Helper()
	var all []Answer
	for _, p := range parts {
		if p.name == "want" {
			continue
		}
		a := Answer{Facts: map[string]string{}}
		if _, err := fmt.Sscanf(p.name, "rank %d %s", &a.Rank, &a.Host); err != nil {
			t.Fatalf("%q: %v", p.name, err)
		}
		for line := range strings.Lines(p.text) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
			a.Facts[name] = value
		}
		all = append(all, a)
	}
	return all
}

// TestEveryCheckFires: a check that no record triggers is one that nobody has seen
// work. What the command itself finds is tried in its own tests.
func TestEveryCheckFires(t *testing.T) {
	wanted := ""
	for _, folder := range []string{"machines", "jobs"} {
		for _, text := range records(t, folder) {
			_, want, _ := strings.Cut(text, "-- want --\n")
			wanted += "\n" + want
		}
	}
	for _, c := range Checks() {
		fires := strings.Contains(wanted, fmt.Sprintf("\n%s %s: ", c.Severity, c.ID))
		if byCommand := c.find == nil && c.compare == nil; fires == byCommand {
			t.Errorf("%s: found in a record: %v; found by the command: %v", c.ID, fires, byCommand)
		}
	}
}
