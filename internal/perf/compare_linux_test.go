package perf

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/goshmem/goshmem/launch/launcher"
)

// peerMain is this test binary as the peer of a comparison: a job of ours that
// crashes when all has been said.
func peerMain(args []string) {
	self, err := os.Executable()
	pes, failed := strconv.Atoi(args[1])
	if err == nil && failed == nil {
		_, err = launcher.Run(context.Background(), launcher.Spec{N: pes, Argv: []string{self, "worker", workOrder, args[0]}, Stderr: os.Stderr})
	}
	fmt.Fprintln(os.Stderr, "peer:", err)
	os.Exit(139)
}

func ourselves(t *testing.T) CompareOptions {
	o := CompareOptions{Options: tiny(t), Quick: true}
	o.Peers = []Peer{{Name: "ourselves", Version: "1", Command: func(ctx context.Context, socket string, pes int, _ []int) *exec.Cmd {
		return exec.CommandContext(ctx, o.Worker[0], "peer", socket, strconv.Itoa(pes))
	}}}
	return o
}

func TestCompare(t *testing.T) {
	r, err := Compare(t.Context(), ourselves(t))
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, pes := range []int{2, 4, 8} {
		for _, s := range cases(pes, true) {
			want = append(want, s.name())
		}
	}
	var got []string
	for _, row := range r.Rows {
		got = append(got, row.Name)
		again := row
		again.settle()
		if len(row.Samples) != r.Rounds || row.Ratio <= 0 || row.OursNS != row.Ours.Median || row.TheirsNS != row.Theirs.Median || !reflect.DeepEqual(again, row) {
			t.Errorf("row %+v: its figures must follow from its samples", row)
		}
		if (row.Wanted > 0) != (row.Met != nil) {
			t.Errorf("%s: wanted %v, met %v", row.Name, row.Wanted, row.Met)
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("rows %q, want %q", got, want)
	}
	if r.Peer != "ourselves: 1, goshmem" {
		t.Errorf("peer %q", r.Peer)
	}
}

// With several peers, each row has the figures of those that can do it.
func TestCompareCollectives(t *testing.T) {
	o := ourselves(t)
	o.Rounds, o.Collectives = 1, true
	spins := o.Peers[0]
	spins.Name, spins.Spins = "spins", true
	lacks := o.Peers[0]
	lacks.Name, lacks.Lacks = "lacks", []string{OpReduceScatter}
	o.Peers = append(o.Peers, spins, lacks)
	r, err := Compare(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	want := len(collectiveCases(2, true)) + len(collectiveCases(4, true))
	if len(r.Rows) != want || r.Name != "collectives" || r.Peer != "ourselves: 1, goshmem; spins: 1, goshmem; lacks: 1, goshmem" || len(r.Goals) != 12 {
		t.Errorf("%d rows of %q, want %d; peers %q, goals %v", len(r.Rows), r.Name, want, r.Peer, r.Goals)
	}
	for _, row := range r.Rows {
		n := 3
		if row.PEs > 2 || runtime.NumCPU() < 2 {
			n--
		}
		if row.Op == OpReduceScatter {
			n--
		}
		if len(row.Peers) != n && n > 1 || row.Ratio <= 0 || row.Peer == "" {
			t.Errorf("%s: peers %+v, want %d", row.Name, row.Peers, n)
		}
	}
}

func TestCompareWithAPeerThatDoesNotStart(t *testing.T) {
	o := ourselves(t)
	o.Peers[0].Command = func(ctx context.Context, _ string, _ int, _ []int) *exec.Cmd {
		return exec.CommandContext(ctx, o.Worker[0], "worker", "nonsense")
	}
	if _, err := Compare(t.Context(), o); err == nil || !strings.Contains(err.Error(), "ourselves: it did not start") || !strings.Contains(err.Error(), "workers of a measurement") {
		t.Errorf("error %v, want the peer's own", err)
	}
}

func TestCompareEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	o := ourselves(t)
	o.Batch = time.Hour // no sample of that length ends in time: something must stop it
	command := o.Peers[0].Command
	o.Peers[0].Command = func(c context.Context, socket string, pes int, cores []int) *exec.Cmd {
		cancel()
		return command(c, socket, pes, cores)
	}
	if _, err := Compare(ctx, o); err == nil {
		t.Error("no error although the context has ended")
	}
}

// What cannot be done is answered, and the job goes on.
func TestServantAnswers(t *testing.T) {
	o := tiny(t)
	m := measurement{Options: o}
	r, err := hire(t.Context(), "a job", t.TempDir(), 3, func(ctx context.Context, socket string) error {
		_, err := m.job(ctx, launcher.Spec{N: 3, Argv: append(o.Worker, workOrder, socket)})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for order, why := range map[Order]string{
		{Op: OpPut, Size: 8, Area: 8, Every: 1}:      "two PEs",
		{Op: "dance", Size: 8, Area: 8, Every: 1}:    "two PEs",
		{Op: OpBarrier, Size: 7, Area: 8, Every: 1}:  "SIZE",
		{Op: OpAllToAll, Size: 8, Area: 8, Every: 1}: "multiple of 24",
	} {
		if _, err := r.side(order)(1); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v, want an error with %q", order, err, why)
		}
	}
	if d, err := r.side(Order{Op: OpSync, Size: 8, Area: 8, Every: 1})(10); err != nil || d <= 0 {
		t.Errorf("sync after that: %v, %v", d, err)
	}
	if err := r.dismiss(false); err != nil {
		t.Error(err)
	}
}
