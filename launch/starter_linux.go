package launch

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// hydraProxy is what the ranks of one machine have in common under hydra. A
// script between it and the program would give each rank another parent.
const hydraProxy = "hydra_pmi_proxy"

// starter names the process that started the ranks of this machine: the nearest
// ancestor that is hydra's proxy, else the parent. Its start time is part of the
// name because process numbers are used again. "": not to be found out.
func starter() string {
	parent := os.Getppid()
	for pid := parent; pid > 1; {
		p, err := readStat(pid)
		if err != nil {
			break // another user's process, or one outside this container
		}
		if p.name == hydraProxy {
			return p.String()
		}
		pid = p.parent
	}
	p, err := readStat(parent)
	if err != nil {
		return ""
	}
	return p.String()
}

// process is what the kernel says about a process.
type process struct {
	pid, parent int
	name        string
	start       string // in clock ticks since boot
}

// String identifies the process, also among those that had its number before.
func (p process) String() string { return fmt.Sprintf("%d@%s", p.pid, p.start) }

// readStat reads the kernel's one-line record.
func readStat(pid int) (process, error) {
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return process{}, err
	}
	return parseStat(pid, string(line))
}

// parseStat looks for the last bracket, since a name may contain brackets.
func parseStat(pid int, line string) (process, error) {
	open, shut := strings.IndexByte(line, '('), strings.LastIndexByte(line, ')')
	if open < 0 || shut < open {
		return process{}, fmt.Errorf("record of process %d: no name in %q", pid, line)
	}
	fields := strings.Fields(line[shut+1:]) // from the third on: state, parent, ...
	const parentAt, startAt = 1, 19
	if len(fields) <= startAt {
		return process{}, fmt.Errorf("record of process %d: only %d fields", pid, len(fields))
	}
	parent, err := strconv.Atoi(fields[parentAt])
	if err != nil {
		return process{}, fmt.Errorf("record of process %d: parent: %w", pid, err)
	}
	return process{pid: pid, parent: parent, name: line[open+1 : shut], start: fields[startAt]}, nil
}
