package launch

import (
	"fmt"
	"os"
	"slices"
	"strconv"

	"github.com/goshmem/goshmem/internal/env"
)

// Detect finds out from "NAME=value" lines, usually os.Environ(), what this
// process is in its job. It waits for nobody and needs no network. An error
// names the variable that is wrong or missing; it is an *EnvError.
//
// Besides environ it looks at who started this process, because mpich's launcher
// leaves nothing else that tells two of its jobs apart.
func Detect(environ []string) (Job, error) {
	return detect(parseVars(environ), place{uid: os.Getuid(), pid: os.Getpid(), starter: starter})
}

// place is what Detect uses of the machine, so that tests can replace it.
type place struct {
	uid, pid int
	starter  func() string // identity of the process that started the ranks of this machine
}

func detect(v vars, here place) (Job, error) {
	f := innermost(v)
	j, err := f.identity(v)
	if err != nil {
		return Job{}, err
	}
	if err := expectSize(v, f, j); err != nil {
		return Job{}, err
	}
	if j.Rendezvous, err = f.rendezvous(v, j, here); err != nil {
		return Job{}, err
	}
	j.Token = v[env.Token]
	j.Name = f.name + ":" + f.jobID(v, j, here)
	j.Outer = outer(v, f, j)
	return j, nil
}

// innermost is the first family that is seen.
func innermost(v vars) family {
	all := families()
	for _, f := range all {
		if f.seen(v) {
			return f
		}
	}
	// GOSHMEM_SIZE alone is an expectation, but of nobody when no launcher is
	// there: then it is our own family with the rank forgotten.
	if v[env.Size] != "" {
		return all[0]
	}
	return family{name: "none"}
}

// identity reads rank and size.
func (f family) identity(v vars) (Job, error) {
	if f.name == "none" {
		return Job{Family: f.name, Size: 1, LocalSize: 1}, nil
	}
	j := Job{Family: f.name}
	var err error
	if j.Rank, j.Size, err = pair(v, f.rank, f.size); err != nil {
		return Job{}, err
	}
	if j.LocalRank, err = v.number(f.localRank); err != nil {
		return Job{}, err
	}
	if j.LocalSize, err = f.localSize(v); err != nil {
		return Job{}, err
	}
	if err := f.checkLocal(v, j); err != nil {
		return Job{}, err
	}
	return j, f.machines(v, &j)
}

// machines reads the number of this machine and how many there are, if both are said.
func (f family) machines(v vars, j *Job) error {
	node, nodes := v.first(f.node...), v.first(f.nodes...)
	switch {
	case f.name == "goshmem" && nodes == "" && node != "":
		return v.wrong(env.Nodes, fmt.Sprintf("but %s=%s is: either both or none", node, v[node]))
	case f.name == "goshmem" && node == "" && nodes != "":
		return v.wrong(env.NodeRank, fmt.Sprintf("but %s=%s is: either both or none", nodes, v[nodes]))
	case node == "" || nodes == "":
		return nil
	}
	var err error
	if j.Nodes, err = v.number(nodes); err != nil {
		return err
	}
	if j.NodeRank, err = v.number(node); err != nil {
		return err
	}
	if j.Nodes < 1 {
		return v.wrong(nodes, "at least 1 is needed")
	}
	if j.NodeRank >= j.Nodes {
		return v.wrong(node, fmt.Sprintf("not below %s=%d", nodes, j.Nodes))
	}
	return nil
}

// pair reads rank and size, which make sense only together.
func pair(v vars, rankNames, sizeNames []string) (rank, size int, err error) {
	rankName, sizeName := v.first(rankNames...), v.first(sizeNames...)
	switch {
	case rankName == "":
		return 0, 0, v.wrong(rankNames[0], fmt.Sprintf("but %s=%s is: either both or none", sizeName, v[sizeName]))
	case sizeName == "":
		return 0, 0, v.wrong(sizeNames[0], fmt.Sprintf("but %s=%s is: say how many processes there are (%s=0 and %s=1 for a process alone)",
			rankName, v[rankName], env.Rank, env.Size))
	}
	if rank, err = v.number(rankName); err != nil {
		return 0, 0, err
	}
	if size, err = v.number(sizeName); err != nil {
		return 0, 0, err
	}
	if size < 1 || size > MaxSize {
		return 0, 0, v.wrong(sizeName, fmt.Sprintf("not within 1 and %d", MaxSize))
	}
	if rank >= size {
		return 0, 0, v.wrong(rankName, fmt.Sprintf("not below %s=%d", sizeName, size))
	}
	return rank, size, nil
}

// checkLocal refuses local numbers that contradict the others.
func (f family) checkLocal(v vars, j Job) error {
	if j.LocalSize == 0 || j.LocalSize > j.Size {
		return v.wrong(f.localSizeName, fmt.Sprintf("not within 1 and %s=%d", v.first(f.size...), j.Size))
	}
	if j.LocalSize > 0 && j.LocalRank >= j.LocalSize {
		return v.wrong(f.localRank, fmt.Sprintf("not below the %d processes on this machine", j.LocalSize))
	}
	return nil
}

// expectSize holds a GOSHMEM_SIZE that the user set against what was started.
func expectSize(v vars, f family, j Job) error {
	want, err := v.number(env.Size)
	if err != nil || want < 0 || want == j.Size {
		return err
	}
	return v.wrong(env.Size, fmt.Sprintf("but %s started %d processes", f.name, j.Size))
}

// rendezvous says where the job meets.
func (f family) rendezvous(v vars, j Job, here place) (string, error) {
	if given := v[env.Rdzv]; given != "" {
		if _, err := parseAddress(given); err != nil {
			return "", v.wrong(env.Rdzv, err.Error())
		}
		if j.Size > 1 {
			return given, nil
		}
	}
	if f.meet == nil {
		return "", nil
	}
	at, err := f.meet(v, j, here)
	if j.Size == 1 {
		at = ""
	}
	return at, err
}

// jobID is what tells this job from others.
func (f family) jobID(v vars, j Job, here place) string {
	if f.id != nil {
		if id := f.id(v); id != "" {
			return id
		}
	}
	if j.Rendezvous != "" {
		return j.Rendezvous
	}
	return strconv.Itoa(here.pid)
}

// outer lists the other families that left traces. Launchers also set variables
// of other families (ours torchrun's, Open MPI PMIx's): where those say the same,
// nothing was outside.
func outer(v vars, inner family, j Job) []string {
	var names []string
	for _, f := range families() {
		if f.name == inner.name || v.first(f.traces()...) == "" {
			continue
		}
		if slices.Contains(inner.alsoSets, f.name) && v[v.first(f.rank...)] == strconv.Itoa(j.Rank) {
			continue
		}
		names = append(names, f.name)
	}
	return names
}
