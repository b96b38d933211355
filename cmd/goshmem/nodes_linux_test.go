package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/goshmem/goshmem/internal/nettest"
)

// onNode returns the launcher of one node of a job that meets at a place.
func onNode(n nettest.Node, nodes, node int, at string, args ...string) (cmd *exec.Cmd, stdout, stderr *bytes.Buffer) {
	all := []string{program, "run", "--nnodes", fmt.Sprint(nodes), "--node-rank", fmt.Sprint(node), "--rdzv", at}
	cmd = n.Command(all[0], append(all[1:], args...)...)
	cmd.Env = append(os.Environ(), "GOSHMEM_TOKEN=secret")
	stdout, stderr = new(bytes.Buffer), new(bytes.Buffer)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	return cmd, stdout, stderr
}

// TestRunNodes: machines that are one network apart run one job, and each rank's libraries
// are told of the interface that leads to the others.
func TestRunNodes(t *testing.T) {
	for _, c := range []struct {
		kind nettest.Kind
		want []string
	}{
		{nettest.Kind{Decoys: true}, []string{"NCCL_SOCKET_IFNAME==eth0", "NVSHMEM_BOOTSTRAP_UID_SOCK_IFNAME=eth0", "UCX_NET_DEVICES=eth0"}},
		{nettest.Kind{OnlyIPv6: true}, []string{"NCCL_SOCKET_IFNAME==eth0", "NCCL_SOCKET_FAMILY=AF_INET6", "NVSHMEM_BOOTSTRAP_UID_SOCK_FAMILY=AF_INET6"}},
	} {
		t.Run(fmt.Sprintf("%+v", c.kind), func(t *testing.T) {
			nodes := nettest.Nodes(t, 2, c.kind)
			at := nodes[0].IPv4 + ":29400"
			if c.kind.OnlyIPv6 {
				at = "[" + nodes[0].IPv6 + "]:29400"
			}
			one, out, errs := onNode(nodes[1], 2, 1, at, "-n", "2", "env")
			if err := one.Start(); err != nil {
				t.Fatal(err)
			}
			zero, out0, errs0 := onNode(nodes[0], 2, 0, at, "-n", "1", "env")
			if err0, err1 := zero.Run(), one.Wait(); err0 != nil || err1 != nil || patient(errs) != "" || patient(errs0) != fmt.Sprintf("goshmem: 3 ranks on 2 nodes: 0 on node 0 (%[1]s), 1-2 on node 1 (%[1]s)\n", host(t)) {
				t.Fatalf("%v, %v, stderr:\n%s\n%s", err0, err1, errs0, errs)
			}
			for rank, text := range []string{out0.String(), out.String(), out.String()} {
				var want []string
				for _, w := range append(c.want, fmt.Sprintf("GOSHMEM_RANK=%d", rank), "GOSHMEM_SIZE=3", fmt.Sprintf("GOSHMEM_NODE_RANK=%d", min(rank, 1)), "GOSHMEM_RDZV=tcp:"+at+"+16") {
					want = append(want, fmt.Sprintf("[%s %d] %s\n", host(t), rank, w))
				}
				contains(t, text, want...)
			}
		})
	}
}

// patient is what a launcher says without that it waits, which depends on the machine's load.
func patient(said *bytes.Buffer) string {
	lines := slices.DeleteFunc(slices.Collect(strings.Lines(said.String())), func(line string) bool { return strings.HasPrefix(line, "goshmem: waiting for ") })
	return strings.Join(lines, "")
}

// TestRunNodesKilled: when the launcher of a node is killed the others end their ranks, and
// say which node it was.
func TestRunNodesKilled(t *testing.T) {
	nodes := nettest.Nodes(t, 2, nettest.Kind{})
	for _, victim := range []int{1, 0} {
		cmds, outs, errs := make([]*exec.Cmd, 2), make([]io.ReadCloser, 2), make([]*bytes.Buffer, 2)
		for i := range cmds {
			cmds[i], _, errs[i] = onNode(nodes[i], 2, i, nodes[0].IPv4+":29400", "-n", "1", "sh", "-c", "echo ready; exec sleep 1000")
			cmds[i].Stdout = nil
			var err error
			if outs[i], err = cmds[i].StdoutPipe(); err == nil {
				err = cmds[i].Start()
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		for _, out := range outs {
			bufio.NewScanner(out).Scan()                    // until its rank runs
			defer func() { bufio.NewScanner(out).Scan() }() // keeps the pipe open
		}
		_ = cmds[victim].Process.Signal(syscall.SIGKILL) // Wait says whether it was that
		if status := statusOf(t, cmds[victim].Wait()); status != -1 {
			t.Errorf("node %d: status %d", victim, status)
		}
		if status := statusOf(t, cmds[1-victim].Wait()); status != 1 {
			t.Errorf("node %d: status %d", 1-victim, status)
		}
		contains(t, errs[1-victim].String(), "goshmem: stopped: ", fmt.Sprintf("node %d (host ", victim), "stopped with SIGTERM: rank ")
	}
}

// TestRunNodesApart: who cannot come together, or is cut off, does not wait for ever.
func TestRunNodesApart(t *testing.T) {
	nodes := nettest.Nodes(t, 2, nettest.Kind{})
	t.Run("node 0 twice", func(t *testing.T) { twins(t, nodes) })
	t.Run("cut off", func(t *testing.T) { cutOff(t, nodes) })
}

// cutOff takes the network away from node 1 while both run.
func cutOff(t *testing.T, nodes []nettest.Node) {
	cmds, errs := make([]*exec.Cmd, 2), make([]*bytes.Buffer, 2)
	for i := range cmds {
		cmds[i], _, errs[i] = onNode(nodes[i], 2, i, nodes[0].IPv4+":29400", "-n", "2", "sh", "-c", "echo ready; exec sleep 1000")
		cmds[i].Env = append(cmds[i].Env, "GOSHMEM_TIMEOUT=6s")
		cmds[i].Stdout = nil
		out, err := cmds[i].StdoutPipe()
		if err == nil {
			err = cmds[i].Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		defer func() { bufio.NewScanner(out).Scan() }() // keeps the pipe open
		if i == 1 {
			bufio.NewScanner(out).Scan()
		}
	}
	if out, err := nodes[1].Command("ip", "link", "set", "eth0", "down").CombinedOutput(); err != nil {
		t.Errorf("cut: %v: %s", err, out)
	}
	for i, ranks := range []string{"ranks 2-3", "ranks 0-1"} {
		if status := statusOf(t, cmds[i].Wait()); status != 1 {
			t.Errorf("node %d: status %d", i, status)
		}
		contains(t, errs[i].String(), "goshmem: stopped: ", fmt.Sprintf("node %d (host ", 1-i), "cannot be reached", fmt.Sprintf("not heard of to the end: node %d (host %s, %s)", 1-i, host(t), ranks))
	}
}

// twins are two that were both told to be node 0: both learn of it at once.
func twins(t *testing.T, nodes []nettest.Node) {
	at := nodes[0].IPv4 + ":29400"
	one, _, errs1 := onNode(nodes[1], 2, 0, at, "true")
	zero, _, errs0 := onNode(nodes[0], 2, 0, at, "true")
	if err := errors.Join(one.Start(), zero.Start()); err != nil {
		t.Fatal(err)
	}
	if s0, s1 := statusOf(t, zero.Wait()), statusOf(t, one.Wait()); s0 != 1 || s1 != 1 {
		t.Errorf("status %d, %d", s0, s1)
	}
	contains(t, errs0.String(), "node 0 is there twice: node 0 (host ")
	contains(t, errs1.String(), "node 0 is there twice: node 0 (host ")
}

// TestRunNodesMistakes: what would start several jobs, or none, is refused.
func TestRunNodesMistakes(t *testing.T) {
	slurm := []string{"SLURM_JOB_ID=9", "SLURM_STEP_ID=0", "SLURM_PROCID=1", "SLURM_STEP_NUM_TASKS=2"}
	pod := []string{"JOB_COMPLETION_INDEX=1"}
	for _, c := range []struct {
		environ []string
		args    string
		want    string // "": a dry run that shows this as rank 1 of 2
	}{
		{slurm, "run true", "slurm started 2 of this launcher, and each would run a job of its own: --nnodes 2 makes them one job"},
		{nil, "run --rdzv h:29400 true", "--nnodes says over how many"},
		{nil, "run --nnodes 2 --rdzv h:29400 true", "--node-rank says which of them this is"},
		{slurm, "run --nnodes 3 --rdzv h:29400 true", "--nnodes 3, but slurm started 2 of this launcher"},
		{slurm, "run --nnodes 2 true", "--rdzv host:port, the same on all, says where the machines meet"},
		{nil, "run --nnodes 2 --node-rank 2 --rdzv h:29400 true", "--node-rank 2: with --nnodes 2 it is 0 to 1"},
		{nil, "run --nnodes 2 --node-rank 0 --rdzv h true", `rendezvous "h": want host:port`},
		{nil, "run --nnodes 2 --node-rank 0 --rdzv fd88::1:29400 true", `rendezvous "fd88::1:29400": want host:port, where host is that of node 0 (an IPv6 address in brackets)`},
		{nil, "run --nnodes 1 --node-rank 1 --rdzv h:29400 true", "--node-rank 1: with --nnodes 1 it is 0 to 0"},
		{nil, "run --nnodes 2 --node-rank -3 --rdzv h:29400 true", "--node-rank -3: with --nnodes 2 it is 0 to 1"},
		{[]string{"JOB_COMPLETION_INDEX=x"}, "run --nnodes 2 --rdzv h:29400 true", `JOB_COMPLETION_INDEX="x": not a whole number`},
		{slurm, "run --nnodes 2 --rdzv h:29400 --dry-run true", ""},
		{pod, "run --nnodes 2 --rdzv h:29400 --dry-run true", ""},
		{append(slices.Clone(pod), "GOSHMEM_RDZV=tcp:h:29400"), "run --nnodes 2 --dry-run true", ""},
	} {
		cmd, stdout, stderr := command(t, strings.Fields(c.args)...)
		cmd.Env = append(cmd.Env, c.environ...)
		status := statusOf(t, cmd.Run())
		if c.want != "" {
			if status != 2 || strings.Count(stderr.String(), "\n") != 1 {
				t.Errorf("%s: status %d, stderr %q", c.args, status, stderr)
			}
			contains(t, stderr.String(), c.want)
			continue
		}
		if status != 0 {
			t.Errorf("%s: status %d, stderr %q", c.args, status, stderr)
		}
		contains(t, stdout.String(), "node  1 of 2: the numbers of ranks are those of a job with -n 1 on every node\n", "env   GOSHMEM_RANK=1\n", "env   GOSHMEM_SIZE=2\n", "env   GOSHMEM_NODE_RANK=1\n", "env   GOSHMEM_RDZV=tcp:h:29400+16\n", "env   MASTER_ADDR=h\n")
	}
}
