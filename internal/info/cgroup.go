package info

import (
	"math"
	"path"
	"strconv"
	"strings"
)

// Group is what the control groups of this process allow, those around them
// included: a limit of an outer group holds for the inner ones.
type Group struct {
	Memory Budget  `json:"memory"` // bytes; what is used leaves out files that can be dropped
	Tasks  Budget  `json:"tasks"`  // processes and threads
	CPU    float64 `json:"cpu"`    // cores' worth of time; -1: no limit
}

// Budget is a limit, and how much of it is taken.
type Budget struct {
	Max  int64 `json:"max"` // -1: no limit
	Used int64 `json:"used"`
}

// Left is how much may still be taken. It makes sense only with a limit.
func (b Budget) Left() int64 { return max(b.Max-b.Used, 0) }

// readGroup follows every hierarchy from this process's group up to the top, and
// keeps the tightest limits.
func readGroup(root string) Group {
	g := Group{Memory: Budget{Max: Unlimited}, Tasks: Budget{Max: Unlimited}, CPU: Unlimited}
	for line := range strings.Lines(readText(root, "proc/self/cgroup")) {
		id, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		controllers, group, ok := strings.Cut(rest, ":")
		if !ok {
			continue
		}
		for ; ; group = path.Dir(group) {
			if id == "0" && controllers == "" {
				g.unified(root, path.Join("sys/fs/cgroup", group))
			} else {
				g.separate(root, controllers, group)
			}
			if group == "/" || group == "." {
				break
			}
		}
	}
	return g
}

// unified reads a group of version 2, which has all controllers.
func (g *Group) unified(root, folder string) {
	in := func(name string) string { return readText(root, path.Join(folder, name)) }
	g.Memory.tighten(limitIn(in("memory.max")), amount(in("memory.current"))-amount(word(in("memory.stat"), "inactive_file")))
	g.Tasks.tighten(limitIn(in("pids.max")), amount(in("pids.current")))
	quota, period, _ := strings.Cut(strings.TrimSpace(in("cpu.max")), " ")
	g.quota(limitIn(quota), amount(period))
}

// separate reads a group of version 1, where each controller has a tree.
func (g *Group) separate(root, controllers, group string) {
	for controller := range strings.SplitSeq(controllers, ",") {
		in := func(name string) string { return readText(root, path.Join("sys/fs/cgroup", controller, group, name)) }
		switch controller {
		case "memory":
			used := amount(in("memory.usage_in_bytes")) - amount(word(in("memory.stat"), "total_inactive_file"))
			g.Memory.tighten(limitIn(in("memory.limit_in_bytes")), used)
		case "pids":
			g.Tasks.tighten(limitIn(in("pids.max")), amount(in("pids.current")))
		case "cpu":
			g.quota(limitIn(in("cpu.cfs_quota_us")), amount(in("cpu.cfs_period_us")))
		}
	}
}

// tighten takes a limit if it is smaller than the one so far.
func (b *Budget) tighten(limit, used int64) {
	if limit != Unlimited && (b.Max == Unlimited || limit < b.Max) {
		*b = Budget{limit, max(used, 0)}
	}
}

func (g *Group) quota(quota, period int64) {
	if quota <= 0 || period <= 0 {
		return
	}
	if cores := float64(quota) / float64(period); g.CPU == Unlimited || cores < g.CPU {
		g.CPU = math.Round(cores*100) / 100
	}
}

// limitIn reads a limit. Version 1 writes a number near the largest one for
// "none", so anything above what a machine can have counts as none.
func limitIn(text string) int64 {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil || n < 0 || n > 1<<60 {
		return Unlimited
	}
	return n
}

// amount reads a number; what is not there is 0.
func amount(text string) int64 {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil {
		return 0
	}
	return n
}
