package launcher

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/goshmem/goshmem/launch"
)

// meetAct has all ranks meet by package launch and says who is there.
func meetAct(string) {
	job, err := launch.Detect(os.Environ())
	if err != nil {
		fmt.Println(err)
		os.Exit(9)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	s, err := launch.Join(ctx, job)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(8)
	}
	word := []byte{byte('a' + job.Rank)}
	err = errors.Join(s.Broadcast(ctx, word, job.Size-1), s.Barrier(ctx), s.Close())
	fmt.Printf("%d of %d, %d of %d here, node %d of %d, heard %s, group %s, %v\n",
		job.Rank, job.Size, job.LocalRank, job.LocalSize, job.NodeRank, job.Nodes, word, os.Getenv("GROUP_RANK"), err)
}

// leaveAct has rank 1 leave with 0 where the others meet.
func leaveAct(rank string) {
	if rank != "1" {
		meetAct(rank)
	}
}

// freeRange is a port that was free a moment ago, as those were that follow it.
func freeRange(t *testing.T) int {
	t.Helper()
	for port := 20000 + os.Getpid()%200*50; port < 60000; port += rankPorts + 1 {
		free := true
		for i := range rankPorts + 1 {
			ln, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port+i))
			if free = err == nil && ln.Close() == nil; !free {
				break
			}
		}
		if free {
			return port
		}
	}
	t.Fatal("no free ports")
	return 0
}

// onNodes runs a launcher for each spec, as that of a node of one job, and during once all
// of its ranks have said that they are ready, if it is not nil.
func onNodes(t *testing.T, during func(), specs ...Spec) (results []Result, lines []string) {
	t.Helper()
	at := fmt.Sprintf("tcp:127.0.0.1:%d", freeRange(t))
	results = make([]Result, len(specs))
	out, n := newBuffer(), 0
	var wg sync.WaitGroup
	for node, s := range specs {
		if s.Nodes == nil {
			s.Nodes = &Nodes{Count: len(specs), Rank: node, Token: "secret", Wait: 20 * time.Second}
		}
		n += s.N
		s.Nodes.Rendezvous = at
		s.Stdout, s.Stderr, s.Prefix = out, out, func(int) string { return "" }
		wg.Go(func() { results[node], _ = Run(t.Context(), s) }) // the error is in the result
	}
	if during != nil {
		out.await(t, "ready\n", n)
		during()
	}
	wg.Wait()
	for line := range strings.Lines(out.String()) {
		if !strings.HasPrefix(line, "goshmem: ") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	slices.Sort(lines)
	return results, lines
}

// here is the part of a job that one node starts.
func here(act string, n int) Spec {
	s, _, _ := spec(act, n)
	return s
}

func wantText(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("no %q in:\n%s", p, text)
		}
	}
}

// TestNodes: ranks are numbered node by node, know where they are, and meet.
func TestNodes(t *testing.T) {
	results, lines := onNodes(t, nil, here("meet", 2), here("meet", 1), here("meet", 2))
	want := []string{
		"0 of 5, 0 of 2 here, node 0 of 3, heard e, group 0, <nil>",
		"1 of 5, 1 of 2 here, node 0 of 3, heard e, group 0, <nil>",
		"2 of 5, 0 of 1 here, node 1 of 3, heard e, group 1, <nil>",
		"3 of 5, 0 of 2 here, node 2 of 3, heard e, group 2, <nil>",
		"4 of 5, 1 of 2 here, node 2 of 3, heard e, group 2, <nil>",
	}
	if !slices.Equal(lines, want) {
		t.Errorf("output:\n%s", strings.Join(lines, "\n"))
	}
	for node, res := range results {
		if res.Err != nil || len(res.Ranks) != 5 || res.First != -1 {
			t.Errorf("node %d: %+v", node, res)
		}
	}
}

// TestNodesFailure: when a rank fails all nodes end, and all say which it was, with its
// last words and its status.
func TestNodesFailure(t *testing.T) {
	results, _ := onNodes(t, nil, here("fail3", 1), here("fail3", 2))
	for node, res := range results {
		if statusIn(res.Err) != 3 || res.First != 1 || len(res.Ranks) != 3 {
			t.Errorf("node %d: %+v", node, res)
		}
		wantText(t, res.Report(), "rank 1 (host ", ", node 1, pid ", ") failed first: exit status 3", "    the end\n", "stopped with SIGTERM: ranks 0, 2\n")
	}
}

// TestNodesEndBeforeJoin: who waits for a rank of another node that has ended learns so at
// once.
func TestNodesEndBeforeJoin(t *testing.T) {
	results, lines := onNodes(t, nil, here("leave", 1), here("leave", 1))
	if len(lines) != 1 || !strings.Contains(lines[0], "launch: join: rank 1 (host ") || !strings.Contains(lines[0], ") exited with status 0 before all had joined") {
		t.Errorf("output:\n%s", strings.Join(lines, "\n"))
	}
	for node, res := range results {
		if statusIn(res.Err) != 8 || res.First != 0 {
			t.Errorf("node %d: %+v", node, res)
		}
	}
}

// TestNodesSignal: a signal to one launcher reaches the ranks of all.
func TestNodesSignal(t *testing.T) {
	one, other := here("wait", 1), here("wait", 1)
	stop := make(chan os.Signal, 1)
	one.Signals = stop
	results, _ := onNodes(t, func() { stop <- syscall.SIGTERM }, one, other)
	for node, res := range results {
		if statusIn(res.Err) != 143 || !strings.Contains(res.Report(), "stopped by SIGTERM") || !strings.Contains(res.Report(), "stopped with SIGTERM: ranks 0-1\n") {
			t.Errorf("node %d: %s", node, res.Report())
		}
	}
	wantText(t, results[1].Report(), "(on node 0 (host ")
}

// TestNodesThatCannotStart: what keeps one node from starting ends all at once, and all
// learn what it is.
func TestNodesThatCannotStart(t *testing.T) {
	odd := here("wait", 1)
	odd.Argv = []string{"./no-such-program"}
	results, _ := onNodes(t, nil, here("wait", 1), odd)
	for node, res := range results {
		if statusIn(res.Err) != StatusNotFound {
			t.Errorf("node %d: %v", node, res.Err)
		}
	}
	wantText(t, results[0].Err.Error(), "node 1 (host ", "): cannot run ./no-such-program")
	if text := results[1].Err.Error(); !strings.HasPrefix(text, "cannot run ./no-such-program") || strings.Contains(text, "\n") {
		t.Errorf("node 1 says more than that: %s", text)
	}
}

// TestNodesThatDisagree: launchers that contradict each other start nothing.
func TestNodesThatDisagree(t *testing.T) {
	for _, c := range []struct {
		what        string
		zero, other Nodes
		says        [2]string // what the two say
	}{
		{"how many there are", Nodes{Count: 2}, Nodes{Count: 3, Rank: 1},
			[2]string{"says that there are 3 nodes, node 0 (host ", "says that there are 3 nodes, node 0 (host "}},
		{"one number twice", Nodes{Count: 3, Wait: 300 * time.Millisecond}, Nodes{Count: 3, Rank: 0, Wait: 300 * time.Millisecond},
			[2]string{"", "cannot listen at"}},
		{"another token", Nodes{Count: 2, Token: "a", Wait: time.Second}, Nodes{Count: 2, Rank: 1, Token: "b", Wait: time.Second},
			[2]string{"joined: 0 (", "it has another GOSHMEM_TOKEN or serves another job"}},
		{"one never comes", Nodes{Count: 3, Wait: time.Second}, Nodes{Count: 3, Rank: 1, Wait: time.Second},
			[2]string{"not joined: 2", "not joined: 2"}},
	} {
		t.Run(c.what, func(t *testing.T) {
			one, two := here("wait", 1), here("wait", 1)
			if one.Nodes, two.Nodes = &c.zero, &c.other; one.Nodes.Wait == 0 {
				one.Nodes.Wait, two.Nodes.Wait = 20*time.Second, 20*time.Second
			}
			results, lines := onNodes(t, nil, one, two)
			if len(lines) > 0 {
				t.Errorf("ranks were started: %q", lines)
			}
			texts := []string{results[0].Report(), results[1].Report()}
			if c.says[0] == "" { // either may be the one that is too many
				slices.Sort(texts)
				slices.Reverse(texts)
				if !strings.Contains(texts[0]+texts[1], c.says[1]) {
					t.Errorf("said: %q", texts)
				}
				return
			}
			for i, text := range texts {
				wantText(t, text, c.says[i])
			}
		})
	}
}

// TestNodesCheck: what cannot be right is found before anybody is waited for.
func TestNodesCheck(t *testing.T) {
	good := Nodes{Count: 2, Rank: 1, Rendezvous: "tcp:[fd00::1]:29400"}
	if err := good.check(); err != nil {
		t.Error(err)
	}
	for says, change := range map[string]func(*Nodes){
		"number of nodes is 0":     func(n *Nodes) { n.Count = 0 },
		"node rank is 2":           func(n *Nodes) { n.Rank = 2 },
		"node rank is -1":          func(n *Nodes) { n.Rank = -1 },
		`"unix:@x"`:                func(n *Nodes) { n.Rendezvous = "unix:@x" },
		`"h"`:                      func(n *Nodes) { n.Rendezvous = "tcp:h" },
		`"h:65530"`:                func(n *Nodes) { n.Rendezvous = "tcp:h:65530" },
		`":1"`:                     func(n *Nodes) { n.Rendezvous = "tcp::1" },
		"wait for the other nodes": func(n *Nodes) { n.Wait = -1 },
	} {
		bad := good
		change(&bad)
		if err := bad.check(); err == nil || !strings.Contains(err.Error(), says) || statusIn(err) != StatusUsage {
			t.Errorf("%s: %v", says, err)
		}
	}
}

// TestSummary: who runs a job over several machines sees first which ranks are where.
func TestSummary(t *testing.T) {
	m := meeting{size: 4, nodes: 3}
	if got := m.summary([]offer{{Ranks: 2, Host: "a"}, {Ranks: 1, Host: "b"}, {Ranks: 1, Host: "c"}}); got != "4 ranks on 3 nodes: 0-1 on a, 2 on b, 3 on c" {
		t.Error(got)
	}
	if got := m.summary(slices.Repeat([]offer{{Ranks: 1, Host: "a"}}, 100)); !strings.HasSuffix(got, ", 15 on node 15 (a), and so on") {
		t.Error(got)
	}
}

// FuzzNotes: whatever another launcher says, this one goes on or ends with an error.
func FuzzNotes(f *testing.F) {
	for _, seed := range []string{`{"Ended":{"Rank":1,"Code":3},"Failed":true}`, `{"Stop":"x","Code":143,"Signal":15}`, `{"Words":{"Rank":9}}`, `{"Done":true}`, `{`, `[]`, `{"Ended":{"Rank":-1}}`, `{"Ranks":2,"Host":"h"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var n note
		if err := n.read(text, 2); err == nil {
			for _, r := range []*RankResult{n.Ended, n.Words} {
				if r != nil && uint(r.Rank) >= 2 {
					t.Errorf("%s: rank %d", text, r.Rank)
				}
			}
		}
		var o offer
		m := meeting{node: 1, nodes: 2}
		if json.Unmarshal(text, &o) == nil && m.settle([]offer{o, {Ranks: 1}}, "") == nil && (m.size != o.Ranks+1 || m.first != o.Ranks) {
			t.Errorf("%s: %+v", text, m)
		}
	})
}
