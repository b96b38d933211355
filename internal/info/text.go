package info

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// WriteText prints everything for a person. With verbose, every place where a
// library was looked for is printed too.
func (i *Info) WriteText(out io.Writer, verbose bool) error {
	t := &table{tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)}
	t.row("goshmem", i.Build.String())
	t.row("built with", fmt.Sprintf("%s for %s/%s", i.Build.Go, i.Build.OS, i.Build.Arch))
	i.System.write(t)
	i.Launch.write(t)
	t.writeEngines(i.Engines)
	t.row("  host, several machines", can(i.Machines.OK), i.Machines.Reason)
	t.writeLibraries(i.Libraries, verbose)
	t.writeDevices(i.Devices)
	t.writeVariables(i)
	for _, w := range i.Warnings {
		t.row("warning", w)
	}
	return t.Flush()
}

// table is two columns and more below headings.
type table struct{ *tabwriter.Writer }

func (t *table) row(cells ...string) { fmt.Fprintln(t, strings.Join(cells, "\t")) }

// head starts a group of rows, which have columns of their own.
func (t *table) head(title string) { fmt.Fprintf(t, "\n%s\n", title) }

func (s System) write(t *table) {
	t.row("machine", strings.TrimSpace(s.Host+" "+s.Kernel))
	t.row("cores", fmt.Sprintf("%d, of which this process may use %d; GOMAXPROCS %d", s.Cores, s.Allowed, s.MaxProcs))
	if s.Memory == 0 {
		return
	}
	t.row("memory", fmt.Sprintf("%s, available %s; limit of the control group: %s", Size(s.Memory), Size(s.Available), Size(s.Cgroup)))
	t.row("open files", fmt.Sprintf("%s (at most %s)", Count(s.OpenFiles.Soft), Count(s.OpenFiles.Hard)))
	t.row("locked memory", fmt.Sprintf("%s (at most %s)", Size(s.Locked.Soft), Size(s.Locked.Hard)))
	t.row("memfd", yes(s.Memfd))
	t.row("shm file system", Size(s.Shm)+" (not used)")
}

func (l Launch) write(t *table) {
	switch {
	case l.Problem != "":
		t.row("launched by", "unclear, see the warning")
	case l.Family == "none":
		t.row("launched by", "none: one PE")
	case l.Family != "":
		text := fmt.Sprintf("%s: rank %d of %d", l.Family, l.Rank, l.Size)
		if len(l.Outer) > 0 {
			text += " (inside " + strings.Join(l.Outer, ", ") + ")"
		}
		t.row("launched by", text)
	}
}

func (t *table) writeEngines(list []Engine) {
	t.head("engines")
	for _, e := range list {
		t.row("  "+e.Name, can(e.OK), e.Reason)
	}
}

func (t *table) writeLibraries(list []Library, verbose bool) {
	t.head("libraries")
	for _, l := range list {
		if l.Problem == "" {
			t.row("  "+l.Name, l.Version, l.Path+l.lacks())
		} else {
			t.row("  "+l.Name, "no", l.short())
		}
		if verbose && l.Report != nil {
			for line := range strings.Lines(l.Report.String()) {
				t.row("", "", "- "+strings.TrimSuffix(line, "\n"))
			}
		}
	}
}

// lacks says how many newer functions the library does not have.
func (l Library) lacks() string {
	if l.Report == nil || len(l.Report.Absent) == 0 {
		return ""
	}
	return fmt.Sprintf(" (without %s)", strings.Join(l.Report.Absent, ", "))
}

// short is the problem without the list of places, which the report has.
func (l Library) short() string {
	text := strings.TrimPrefix(l.Problem, l.Name+": ")
	before, rest, found := strings.Cut(text, " (tried ")
	if !found {
		return text
	}
	_, after, _ := strings.Cut(rest, ")")
	return before + after
}

func (t *table) writeDevices(list []Device) {
	t.head("devices")
	for _, d := range list {
		access := "usable"
		if !d.Usable {
			access = "no permission"
		}
		t.row("  "+d.Path, d.Kind, access)
	}
	if len(list) == 0 {
		t.row("  none found")
	}
}

// writeVariables prints all of ours, as what is in no list is likely a typing
// mistake, and those of others that are set.
func (t *table) writeVariables(i *Info) {
	t.head("variables")
	for _, v := range slices.Concat(i.Variables, i.Foreign) {
		switch {
		case v.Problem != "":
			t.row("  " + v.Name + "=" + v.Value + ": " + v.Problem)
		case v.Set:
			t.row("  "+v.Name, v.Value)
		default:
			t.row("  "+v.Name, "unset ("+orNone(v.Default)+"): "+v.Help)
		}
	}
}

func orNone(text string) string {
	if text == "" {
		return "no default"
	}
	return "default " + text
}

func can(ok bool) string {
	if ok {
		return "can run"
	}
	return "cannot run"
}

func yes(ok bool) string {
	if ok {
		return "available"
	}
	return "not available"
}

// Count writes a number that may be Unlimited.
func Count(n int64) string {
	if n == Unlimited {
		return "unlimited"
	}
	return fmt.Sprint(n)
}

// Size writes bytes in the largest unit that keeps them at 1 or more.
func Size(n int64) string {
	if n == Unlimited {
		return "unlimited"
	}
	f, unit := float64(n), 0
	units := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB"}
	for f >= 1024 && unit < len(units)-1 {
		f, unit = f/1024, unit+1
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", f), ".0") + " " + units[unit]
}
