package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/internal/nettest"
	"github.com/goshmem/goshmem/internal/skip"
	"github.com/goshmem/goshmem/internal/ucx"
	"github.com/goshmem/goshmem/launch/launcher"
)

// remoteShell stands in for ssh: the hosts are addresses of namespaces.
func remoteShell(t *testing.T, nodes []nettest.Node) string {
	t.Helper()
	text := "#!/bin/sh\nwhile [ \"$1\" = -x ]; do shift; done\nhost=$1; shift\ncase $host in\n"
	for _, n := range nodes {
		text += n.IPv4 + ") exec ip netns exec " + n.Name + " sh -c \"$*\";;\n"
	}
	name := filepath.Join(t.TempDir(), "shell")
	if err := os.WriteFile(name, []byte(text+"esac\nexit 9\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestRunHostfiles starts one program with the commands of docs/nodes.md on two machines.
func TestRunHostfiles(t *testing.T) {
	if _, err := ucx.Probe(); errors.Is(err, ucx.ErrMissing) {
		skip.Now(t, skip.NoVendor, err.Error())
	}
	for _, name := range []string{"mpirun.openmpi", "mpiexec.hydra"} {
		if _, err := exec.LookPath(name); err != nil {
			skip.Now(t, skip.NoMPI, err.Error())
		}
	}
	nodes := nettest.Nodes(t, 2, nettest.Kind{Decoys: true})
	ring, err := launcher.Build(context.Background(), t.TempDir(), "../../examples/ring")
	if err != nil {
		t.Fatal(err)
	}
	hosts := filepath.Join(t.TempDir(), "hosts")
	slots := fmt.Sprintf("%s slots=2\n%s slots=2\n", nodes[0].IPv4, nodes[1].IPv4)
	if err := errors.Join(os.WriteFile(hosts, []byte(slots), 0o644), os.WriteFile(hosts+".hydra", []byte(strings.ReplaceAll(slots, " slots=", ":")), 0o644)); err != nil {
		t.Fatal(err)
	}
	shell, at := remoteShell(t, nodes), nodes[0].IPv4
	ompi := "mpirun.openmpi --allow-run-as-root --bind-to none --mca oob_tcp_if_include eth0 --mca plm_rsh_agent " + shell + " --hostfile " + hosts
	for what, line := range map[string]string{
		"mpirun":            ompi + " -np 4 -x GOSHMEM_RDZV=tcp:" + at + ":29500 " + ring,
		"mpirun, launchers": ompi + " -npernode 1 " + program + " run --no-prefix --nnodes 2 --rdzv " + at + ":29540 -n 2 " + ring,
		"mpiexec.hydra":     "mpiexec.hydra -iface eth0 -launcher ssh -launcher-exec " + shell + " -f " + hosts + ".hydra -n 4 -genv GOSHMEM_RDZV tcp:" + at + ":29580 " + ring,
	} {
		words := strings.Fields(line)
		cmd := nodes[0].Command(words[0], words[1:]...)
		cmd.Env = append(os.Environ(), "GOSHMEM_TIMEOUT=30s")
		var said bytes.Buffer // launchers may warn of something
		cmd.Stderr = &said
		out, err := cmd.Output()
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		lines = slices.DeleteFunc(lines, func(l string) bool { return strings.HasPrefix(l, "goshmem: 4 ranks on 2 nodes: ") })
		slices.Sort(lines)
		if err != nil || !slices.Equal(lines, []string{"got 0 from PE 0", "got 1 from PE 1", "got 2 from PE 2", "got 3 from PE 3"}) {
			t.Errorf("%s: %v:\n%s%s", what, err, out, &said)
		}
	}
}
