package launcher

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/goshmem/goshmem/internal/reach"
	"github.com/goshmem/goshmem/launch"
)

// crew is this launcher's link to those of the other machines. A nil crew is that of a job
// on one.
type crew struct {
	link   *launch.Crew
	here   string // this machine in messages
	ranks  []RankResult
	done   map[int]bool // nodes whose ranks have all ended
	nodes  int
	node   int // number of this machine
	offers []offer
	broken bool // a node is gone
	judged bool // all know the same reason for the end of the job
}

// offer is what each launcher says before anything is started.
type offer struct {
	Ranks int
	Host  string
	Lack  string `json:",omitempty"` // why it cannot start its ranks
	Code  int    `json:",omitempty"` // exit status of that
	Seed  string `json:",omitempty"` // of node 0: what makes the job differ from all others
	Port  string `json:",omitempty"` // of node 0: MASTER_PORT
}

// note is what a launcher tells the others while the job runs: one of these.
type note struct {
	Ended  *RankResult `json:",omitempty"` // a rank has ended,
	Failed bool        `json:",omitempty"` // and was the first there that failed
	Stop   string      `json:",omitempty"` // the job must end, and why,
	Code   int         `json:",omitempty"` // with this exit status
	Signal int         `json:",omitempty"` // and this signal
	Words  *RankResult `json:",omitempty"` // how a rank ended, with its last words
	Done   bool        `json:",omitempty"` // all ranks of the node have ended
}

// muster meets the launchers of the other machines. Lack is why this one cannot start
// anything, which all must know.
func (s Spec) muster(ctx context.Context, lack error) (meeting, *crew, error) {
	m := s.Nodes.meeting(s.N)
	mine := offer{Ranks: s.N, Host: hostName()}
	if lack != nil {
		mine.Lack, mine.Code = lack.Error(), statusIn(lack)
	}
	if m.node == 0 && lack == nil {
		port, err := freePort(":0")
		if err != nil {
			return m, nil, err
		}
		mine.Seed, mine.Port = randomHex(16), port
	}
	wait := cmp.Or(s.Nodes.Wait, defaultWait)
	ctx, cancel := context.WithTimeoutCause(ctx, wait, fmt.Errorf("timed out after %v (GOSHMEM_TIMEOUT)", wait))
	defer cancel()
	c := &crew{here: fmt.Sprintf("node %d (host %s)", m.node, hostName()), done: map[int]bool{}, node: m.node, nodes: m.nodes}
	var offers []offer
	err := Until(ctx, s.Signals, func(ctx context.Context) (err error) {
		if c.link, err = launch.Muster(ctx, s.roll(wait)); err != nil {
			return err
		}
		offers, err = c.share(ctx, mine)
		return err
	})
	if err = errors.Join(lack, err); err == nil {
		err = m.settle(offers, s.Nodes.Token)
	}
	if err == nil {
		err = Until(ctx, s.Signals, func(ctx context.Context) error { return m.measure(ctx, c, s) })
	}
	if err == nil && m.node == 0 && s.Stderr != nil {
		_, err = fmt.Fprintf(s.Stderr, "goshmem: %s\n", m.summary(offers))
	}
	if err != nil {
		return m, nil, errors.Join(err, c.close())
	}
	c.offers = offers
	c.link.Listen()
	return m, c, nil
}

// Silence of a machine until it counts as gone: longer than its ranks need to find out, who
// can say more, and well within the time limit of their waits.
const (
	silenceMost  = 15 * time.Second
	silenceLeast = 2 * time.Second
)

// roll is what the launchers must know to meet.
func (s Spec) roll(wait time.Duration) launch.Roll {
	r := launch.Roll{Rendezvous: s.Nodes.Rendezvous, Token: s.Nodes.Token, Node: s.Nodes.Rank, Nodes: s.Nodes.Count,
		Silence: max(silenceLeast, min(silenceMost, wait*2/3))}
	if s.Stderr != nil {
		r.Waiting = func(what string) { _, _ = fmt.Fprintf(s.Stderr, "goshmem: %s\n", what) } // that nobody can read it stops no job
	}
	return r
}

// share gives every node the offers of all.
func (c *crew) share(ctx context.Context, mine offer) ([]offer, error) {
	text, err := json.Marshal(mine)
	if err != nil {
		return nil, err
	}
	texts, err := c.link.Share(ctx, text)
	if err != nil {
		return nil, err
	}
	all := make([]offer, len(texts))
	for node, text := range texts {
		if err := json.Unmarshal(text, &all[node]); err != nil {
			return nil, fmt.Errorf("node %d says what this launcher does not understand: all must be of one version: %w", node, err)
		}
	}
	return all, nil
}

// settle makes the meeting of the ranks out of what all launchers say.
func (m *meeting) settle(offers []offer, token string) error {
	m.first, m.size, m.port = 0, 0, offers[0].Port
	for node, o := range offers {
		if o.Lack != "" && node != m.node {
			return &Error{o.Code, fmt.Errorf("node %d (host %s): %s", node, o.Host, o.Lack)}
		}
		if o.Ranks < 1 || o.Ranks > MaxProcs {
			return fmt.Errorf("node %d (host %s) wants to start %d ranks", node, o.Host, o.Ranks)
		}
		if node < m.node {
			m.first += o.Ranks
		}
		m.size += o.Ranks
	}
	if m.size > launch.MaxSize {
		return fmt.Errorf("%d ranks on all nodes together: at most %d", m.size, launch.MaxSize)
	}
	secret := sha256.Sum256([]byte(offers[0].Seed + "/" + token))
	m.token = hex.EncodeToString(secret[:])
	return nil
}

// measure finds the interface by which all machines reach this one, and tells the ranks'
// libraries of it.
func (m *meeting) measure(ctx context.Context, c *crew, s Spec) error {
	p := reach.Party{Exchange: c.link.Exchange(), Rank: m.node, Node: m.node}
	for node := range m.nodes {
		p.Speakers = append(p.Speakers, node)
	}
	found, err := reach.Measure(ctx, p)
	if err != nil {
		return err
	}
	m.extra = found.Variables(slices.Concat(os.Environ(), s.Env))
	if found.Interface == "" && s.Stderr != nil {
		_, err = fmt.Fprintf(s.Stderr, "goshmem: no network interface reaches all nodes: %s\n", found.Why)
	}
	return err
}

// summary says who is where: that a job has the ranks that one believes it has is worth a
// line.
func (m *meeting) summary(offers []offer) string {
	const most = 16 // nodes that are named
	var parts []string
	first := 0
	names := map[string]bool{}
	for _, o := range offers {
		names[o.Host] = true
	}
	for node, o := range offers[:min(len(offers), most)] {
		ranks := strconv.Itoa(first)
		if first += o.Ranks; o.Ranks > 1 {
			ranks += "-" + strconv.Itoa(first-1)
		}
		if len(names) < len(offers) { // the names do not tell them apart
			o.Host = fmt.Sprintf("node %d (%s)", node, o.Host)
		}
		parts = append(parts, ranks+" on "+o.Host)
	}
	if len(offers) > most {
		parts = append(parts, "and so on")
	}
	return fmt.Sprintf("%d ranks on %d nodes: %s", m.size, m.nodes, strings.Join(parts, ", "))
}

// statusIn is the exit status that an error asks for.
func statusIn(err error) int {
	if known := new(Error); errors.As(err, &known) {
		return known.Code
	}
	return 1
}

func (c *crew) close() error {
	if c == nil || c.link == nil {
		return nil
	}
	return c.link.Close()
}

// told are the notes of all launchers.
func (c *crew) told() <-chan launch.Note {
	if c == nil || c.broken {
		return nil
	}
	return c.link.Told()
}

// busy says whether other machines have more to tell.
func (c *crew) busy() bool { return c != nil && !c.broken && len(c.done) < c.nodes }

// hasten says that the job ends: what does not answer now is not waited for as long.
func (c *crew) hasten() {
	if c != nil {
		c.link.Hasten()
	}
}

// lost are the nodes that have not said to the end how their ranks ended.
func (c *crew) lost() []lostNode {
	if c == nil {
		return nil
	}
	var all []lostNode
	first := 0
	for node, o := range c.offers {
		if !c.done[node] && node != c.node {
			all = append(all, lostNode{node: node, host: o.Host, first: first, n: o.Ranks})
		}
		first += o.Ranks
	}
	return all
}

// others is how the ranks of other machines have ended.
func (c *crew) others() []RankResult {
	if c == nil {
		return nil
	}
	return c.ranks
}

// tell tells all launchers. That it cannot be told is seen where notes are read.
func (c *crew) tell(n *note) {
	if c == nil {
		return
	}
	text, err := json.Marshal(n)
	for n.Words != nil && len(n.Words.Stderr) > 0 && len(text) > launch.MaxBroadcast {
		n.Words.Stderr = n.Words.Stderr[1:]
		text, err = json.Marshal(n)
	}
	if err == nil { // there is nothing in a note that JSON cannot say
		_ = c.link.Tell(text)
	}
}

// halt is stop for a reason that arose on this machine: the others must stop too.
func (j *job) halt(cause *Error, sig unix.Signal) {
	if j.crew != nil {
		j.crew.tell(&note{Stop: fmt.Sprintf("%v (on %s)", cause, j.crew.here), Code: cause.Code, Signal: int(sig)})
	}
	j.stop(cause, sig)
}

// report tells the others how the ranks of this machine have ended.
func (j *job) report() {
	if j.crew == nil {
		return
	}
	for _, r := range j.ranks {
		words := r.RankResult
		j.crew.tell(&note{Words: &words})
	}
	j.crew.tell(&note{Done: true})
}

// hear obeys a note. What the first says that speaks of a failure or an end is why the job
// ended, for all: notes come in one order everywhere.
func (j *job) hear(told launch.Note) {
	var n note
	if told.Err == nil {
		told.Err = n.read(told.Text, j.meeting.size)
	}
	if told.Err != nil {
		j.crew.broken = true
		j.stop(&Error{1, fmt.Errorf("stopped: %w", told.Err)}, unix.SIGTERM)
		return
	}
	ours := told.From == j.meeting.node
	switch {
	case n.Ended != nil:
		j.mourn(n, ours)
	case n.Stop != "":
		j.obey(n, ours)
	case n.Words != nil && !ours:
		j.crew.ranks = append(j.crew.ranks, *n.Words)
	case n.Done:
		j.crew.done[told.From] = true
	}
}

// read reads a note about a job of so many ranks.
func (n *note) read(text []byte, size int) error {
	if err := json.Unmarshal(text, n); err != nil {
		return fmt.Errorf("a node says what this launcher does not understand: %w", err)
	}
	for _, r := range []*RankResult{n.Ended, n.Words} {
		if r != nil && (r.Rank < 0 || r.Rank >= size) {
			return fmt.Errorf("a node speaks of rank %d of %d", r.Rank, size)
		}
	}
	return nil
}

// mourn takes note of a rank that has ended.
func (j *job) mourn(n note, ours bool) {
	if !ours {
		j.ends.Ended(n.Ended.Rank, n.Ended.Host, n.Ended.Pid, n.Ended.ending())
	}
	if n.Failed && !j.crew.judged {
		j.crew.judged = true
		j.failed(*n.Ended)
	}
}

// obey stops the job because another launcher says so.
func (j *job) obey(n note, ours bool) {
	first := !j.crew.judged
	j.crew.judged = true
	if ours {
		return
	}
	cause := &Error{n.Code, errors.New(n.Stop)}
	if first {
		j.cause, j.first = cause, -1
	}
	j.stop(cause, unix.Signal(n.Signal))
}

// Absent tells the launchers of the other machines why there is nothing to start on this
// one, if they come soon, and returns why: the program does not build, for example.
func Absent(ctx context.Context, s Spec, why error) error {
	if s.Nodes == nil || s.Nodes.check() != nil {
		return why
	}
	nodes := *s.Nodes
	nodes.Wait, s.Nodes = farewell, &nodes
	_, _, _ = s.muster(ctx, why) // all that it can say is said by the error that there is already
	return why
}
