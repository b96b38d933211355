package perf

import (
	"context"
	_ "embed"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

//go:embed c/pingpong.c
var pingPongSource []byte

const (
	pingPongPeer  = "C ping-pong"
	barrierWanted = 1.3
)

// buildPingPong compiles the C program into dir and returns its path, "" with the
// reason if it cannot be had.
func buildPingPong(ctx context.Context, dir string, cores []int) (path, missing string, err error) {
	if len(cores) < 2 {
		return "", "a ping-pong needs two cores", nil
	}
	return compile(ctx, dir, "pingpong", pingPongSource, "-O2")
}

// meetings are the rows of two PEs that wait for each other.
func (t task) meetings(c *crew) []bench {
	list := []bench{
		{name: "barrier, 2 PEs", ours: c.side(barrier), wanted: barrierWanted, allocs: true},
		{name: "sync, 2 PEs", ours: c.side(sync), wanted: barrierWanted, allocs: true},
		{name: "P and wait, there and back", ours: c.side(volley), allocs: true},
	}
	theirs := t.pingPong(c.ctx)
	for i := range list {
		list[i].note = t.Missing
		if theirs != nil {
			list[i].rivals = against(pingPongPeer, theirs)
		}
	}
	return list
}

// pingPong is the C program as a side, nil without the program. The processes of
// each run are its own; what it reports is its own time for the round trips.
func (t task) pingPong(ctx context.Context) side {
	if t.PingPong == "" {
		return nil
	}
	return func(n int) (time.Duration, error) {
		out, err := exec.CommandContext(ctx, t.PingPong, strconv.Itoa(n), strconv.Itoa(t.Cores[0]), strconv.Itoa(t.Cores[1])).Output()
		if err != nil {
			return 0, fmt.Errorf("run the ping-pong in C: %w", err)
		}
		ns, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
		return time.Duration(ns * float64(n)), err
	}
}
