package launch

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// crewOf musters the launchers of n nodes, which are closed when the test ends.
func crewOf(t *testing.T, n int) []*Crew {
	t.Helper()
	j := newJob(t, "tcp", n)
	ctx, all := testContext(t), make([]*Crew, n)
	for node, err := range onRanks(n, func(node int) (err error) {
		all[node], err = Muster(ctx, Roll{Rendezvous: j.Rendezvous, Token: j.Token, Node: node, Nodes: n})
		return err
	}) {
		if err != nil {
			t.Fatalf("node %d: %v", node, err)
		}
	}
	t.Cleanup(func() {
		for _, c := range all {
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	return all
}

// TestCrewShare: all get what each says, whatever its length.
func TestCrewShare(t *testing.T) {
	all, ctx := crewOf(t, 3), testContext(t)
	want := [][]byte{{}, []byte("one"), bytes.Repeat([]byte("x"), MaxBroadcast)}
	for node, err := range onRanks(3, func(node int) error {
		got, err := all[node].Share(ctx, want[node])
		for i := range got {
			if !bytes.Equal(got[i], want[i]) {
				return fmt.Errorf("of node %d: %d bytes", i, len(got[i]))
			}
		}
		return err
	}) {
		if err != nil {
			t.Errorf("node %d: %v", node, err)
		}
	}
}

// TestCrewTell: all hear all notes in the same order, the largest too.
func TestCrewTell(t *testing.T) {
	const notes = 20
	all := crewOf(t, 3)
	heard := make([][]string, len(all))
	for node, err := range onRanks(len(all), func(node int) error {
		c := all[node]
		c.Listen()
		for i := range notes {
			text := fmt.Sprintf("%d.%d", node, i)
			if i == 0 {
				text += strings.Repeat(" ", MaxBroadcast-len(text))
			}
			if err := c.Tell([]byte(text)); err != nil {
				return err
			}
		}
		for range notes * len(all) {
			n := <-c.Told()
			if n.Err != nil || !strings.HasPrefix(string(n.Text), fmt.Sprintf("%d.", n.From)) {
				return fmt.Errorf("note %q of %d: %w", n.Text, n.From, n.Err)
			}
			heard[node] = append(heard[node], string(n.Text))
		}
		return nil
	}) {
		if err != nil {
			t.Errorf("node %d: %v", node, err)
		}
	}
	for node := range heard {
		if !slices.Equal(heard[node], heard[0]) {
			t.Errorf("nodes 0 and %d heard in another order", node)
		}
	}
	if err := all[0].Tell(make([]byte, MaxBroadcast+1)); err == nil {
		t.Error("a note of any length")
	}
}

// TestCrewLost: a node that goes without a word is named to all others, node 0 too; one that
// leaves in good order disturbs nobody.
func TestCrewLost(t *testing.T) {
	for _, c := range []struct {
		victim int
		says   string
	}{{2, "node 2 (host "}, {0, "node 0 (host "}} {
		t.Run(c.says, func(t *testing.T) {
			all := crewOf(t, 4)
			for _, c := range all {
				c.Listen()
			}
			if err := all[3].Close(); err != nil {
				t.Error(err)
			}
			if hub := all[c.victim].store.hub; hub != nil { // as when its process dies
				hub.mu.Lock()
				for l := range hub.links {
					_ = l.conn.Close()
				}
				hub.mu.Unlock()
			} else {
				_ = all[c.victim].store.link.conn.Close() // its own end sees it
			}
			n := <-all[1].Told()
			if n.Err == nil || !strings.Contains(n.Err.Error(), c.says) || strings.Contains(n.Err.Error(), "rank") {
				t.Errorf("node %d goes: %+v", c.victim, n)
			}
		})
	}
}
