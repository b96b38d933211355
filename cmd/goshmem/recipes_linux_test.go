package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/internal/env"
	"github.com/goshmem/goshmem/launch"
)

// pod is what the recipes for Kubernetes say of each of their pods.
type pod struct {
	pods    string // how many
	command []string
	environ map[string]string
}

// readPod reads one of the recipes: maps, lists by dashes, words, texts in quotes and
// lists of those in brackets, which is the part of YAML that they keep to.
func readPod(t *testing.T, name string) pod {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	p := pod{environ: map[string]string{}}
	variable := ""
	open := []int{-1} // indents of the maps that a line is in
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		body := strings.TrimLeft(line, " ")
		if body == "---" || strings.HasPrefix(body, "#") {
			open = []int{-1}
			continue
		}
		indent := len(line) - len(body)
		if rest, item := strings.CutPrefix(body, "- "); item {
			body, indent = rest, indent+2
		}
		for len(open) > 1 && open[len(open)-1] > indent {
			open = open[:len(open)-1]
		}
		key, value, pair := strings.Cut(body, ":")
		if value = strings.TrimSpace(value); !pair || strings.ContainsAny(line, "\t") || indent%2 != 0 || indent > open[len(open)-1]+4 {
			t.Fatalf("%s:%d: %q is not read", name, i+1, line)
		}
		if indent > open[len(open)-1] {
			open = append(open, indent)
		}
		value = strings.Trim(value, `"`)
		switch key {
		case "completions":
			p.pods = value
		case "command":
			for _, w := range strings.Split(strings.Trim(value, "[]"), ", ") {
				p.command = append(p.command, strings.Trim(w, `"`))
			}
		case "name":
			variable = value
		case "value":
			p.environ[variable] = value
		case "valueFrom":
			p.environ[variable] = "from elsewhere"
		}
	}
	return p
}

// TestRecipesForKubernetes: the variables of the recipes are those that are read, and pod 1
// is what it should be.
func TestRecipesForKubernetes(t *testing.T) {
	files, err := filepath.Glob("../../examples/k8s/*.yaml")
	if err != nil || len(files) != 3 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, name := range files {
		p := readPod(t, name)
		environ := []string{"JOB_COMPLETION_INDEX=1"}
		for k, v := range p.environ {
			environ = append(environ, k+"="+v)
		}
		if err := env.Unknown(environ); err != nil || len(p.environ) < 3 || p.environ[env.Token] == "" {
			t.Errorf("%s: %v, variables %v", name, err, p.environ)
		}
		if p.command[0] != "goshmem" {
			job, err := launch.Detect(environ)
			if err != nil || job.Family != "kubernetes" || job.Rank != 1 || fmt.Sprint(job.Size) != p.pods || job.Rendezvous != p.environ[env.Rdzv] {
				t.Errorf("%s: %v, %v", name, job, err)
			}
			continue
		}
		args := append(slices.Clone(p.command[1:len(p.command)-1]), "--dry-run", "true")
		cmd, stdout, stderr := command(t, args...)
		cmd.Env = append(cmd.Env, environ...)
		if err := cmd.Run(); err != nil {
			t.Errorf("%s: %v: %s", name, err, stderr)
		}
		contains(t, stdout.String(), "env   GOSHMEM_RANK=8\n", "env   GOSHMEM_NODE_RANK=1\n", "env   GOSHMEM_NODES="+p.pods+"\n", "env   GOSHMEM_RDZV="+p.environ[env.Rdzv]+"+16\n")
	}
}

// slurm is what stands in for Slurm's commands: srun runs a task for each of two machines,
// with the variables that it gives them.
func slurm(t *testing.T, tasks int) (environ []string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"scontrol": `echo 127.0.0.1; echo 127.0.0.2`,
		"srun": fmt.Sprintf(`
while [ "${1#--}" != "$1" ]; do shift; done
export SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=%[1]d SLURM_STEP_TASKS_PER_NODE="%[2]d(x2)" SLURM_STEP_NUM_NODES=2
pids= status=0
for i in $(seq 0 %[3]d); do
	SLURM_PROCID=$i SLURM_LOCALID=$((i %% %[2]d)) SLURM_NODEID=$((i / %[2]d)) "$@" &
	pids="$pids $!"
done
for p in $pids; do wait "$p" || status=$?; done
exit $status`, tasks, tasks/2, tasks-1),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(program, filepath.Join(dir, "goshmem")); err != nil {
		t.Fatal(err)
	}
	return append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "RANKS=2", "SLURM_NNODES=2", "SLURM_JOB_NODELIST=n[1-2]", fmt.Sprintf("SLURM_JOB_ID=%d", os.Getpid()))
}

// TestRecipesForSlurm runs the scripts as sbatch would, on machines that are this one.
func TestRecipesForSlurm(t *testing.T) {
	for name, c := range map[string]struct {
		tasks int
		args  []string
		want  []string
	}{
		"nodes.sbatch": {2, []string{"sh", "-c", "echo $GOSHMEM_RANK of $GOSHMEM_SIZE, node $GOSHMEM_NODE_RANK"},
			[]string{"[" + host(t) + " 0] 0 of 4, node 0", "[" + host(t) + " 1] 1 of 4, node 0", "[" + host(t) + " 2] 2 of 4, node 1", "[" + host(t) + " 3] 3 of 4, node 1", fmt.Sprintf("goshmem: 4 ranks on 2 nodes: 0-1 on node 0 (%[1]s), 2-3 on node 1 (%[1]s)", host(t))}},
		"tasks.sbatch": {4, []string{"sh", "-c", program + " info | grep '^launched by'"}, []string{"launched by      slurm: rank 0 of 4",
			"launched by      slurm: rank 1 of 4", "launched by      slurm: rank 2 of 4", "launched by      slurm: rank 3 of 4"}},
	} {
		script := filepath.Join("../../examples/slurm", name)
		if text, err := exec.Command("bash", "-n", script).CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", name, err, text)
		}
		cmd := exec.Command(script, c.args...)
		cmd.Env = slurm(t, c.tasks)
		out, err := cmd.CombinedOutput()
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		slices.Sort(lines)
		if err != nil || !slices.Equal(lines, c.want) {
			t.Errorf("%s: %v:\n%s", name, err, out)
		}
	}
}
