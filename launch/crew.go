package launch

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"sync"
	"time"
)

// Crew is how the launchers of a job over several machines, one on each, stay in touch
// until the last of them is done. Node 0 serves the others.
type Crew struct {
	store *Store
	told  chan Note
	done  sync.WaitGroup
	quit  chan struct{}
	once  sync.Once
}

// Note is what one launcher tells all, or why no more can be told.
type Note struct {
	From int // number of the node
	Text []byte
	Err  error // not nil: a node is gone, and with it the crew
}

// Roll is what a launcher knows of the others before it has met them.
type Roll struct {
	Rendezvous  string // tcp:host:port, host being that of node 0
	Token       string // secret of the job
	Node, Nodes int    // number of this machine, and how many there are

	Silence time.Duration     // after so long without a sign of life a machine is gone; 0: some 15s
	Waiting func(what string) // is called once if others are slow to come; nil: never
}

// Muster meets the launchers of all nodes. It waits as long as ctx allows; then the error
// lists which nodes have come and which have not. Node 0 that was sent to another machine
// than its own, a number that is there twice and another token are errors at once.
func Muster(ctx context.Context, r Roll) (*Crew, error) {
	return musterWithin(ctx, r, defaultLimits())
}

func musterWithin(ctx context.Context, r Roll, lim limits) (*Crew, error) {
	lim.silence = cmp.Or(r.Silence, lim.silence)
	job := Job{Family: "goshmem", Rank: r.Node, Size: r.Nodes, LocalRank: -1, LocalSize: -1, Rendezvous: r.Rendezvous, Token: r.Token, Name: "nodes:" + r.Rendezvous, noun: "node"}
	if r.Waiting != nil {
		job.vigil = &vigil{say: r.Waiting}
		defer job.vigil.end()
		defer time.AfterFunc(lim.notice, job.vigil.tell).Stop()
	}
	s, err := join(ctx, job, lim)
	if err != nil {
		return nil, err
	}
	return &Crew{store: s, told: make(chan Note, 1), quit: make(chan struct{})}, nil
}

// Share gives every node what each says, by number: at most MaxBroadcast bytes. All call
// it; none may call it after Listen.
func (c *Crew) Share(ctx context.Context, mine []byte) ([][]byte, error) {
	all := make([][]byte, c.store.me.size)
	for node := range all {
		var head [4]byte
		if node == c.store.me.rank {
			binary.BigEndian.PutUint32(head[:], uint32(len(mine)))
		}
		if err := c.store.Broadcast(ctx, head[:], node); err != nil {
			return nil, err
		}
		text := make([]byte, min(binary.BigEndian.Uint32(head[:]), MaxBroadcast+1))
		if node == c.store.me.rank {
			copy(text, mine)
		}
		if err := c.store.Broadcast(ctx, text, node); err != nil {
			return nil, err
		}
		all[node] = text
	}
	return all, nil
}

// Exchange is the collective calls of the crew, for what needs an exchange. None may be
// called after Listen.
func (c *Crew) Exchange() *Store { return c.store }

// Listen ends the calls that all make together: from here on each node tells what it has
// to tell, and Told has what all tell.
func (c *Crew) Listen() {
	if c.store.link == nil {
		return
	}
	c.done.Go(c.listen)
}

// Told are the notes of all nodes, those of this one too, in one order for all.
func (c *Crew) Told() <-chan Note { return c.told }

// listen passes on what comes until the connection ends.
func (c *Crew) listen() {
	for {
		f, err := c.store.link.receive()
		n := Note{}
		switch {
		case err != nil:
			n.Err = fmt.Errorf("node 0 (host %s, pid %d), which serves the others, is gone or cannot be reached: %w", c.store.server.host, c.store.server.pid, err)
		case f.kind == kindNote && len(f.body) >= 4:
			n.From, n.Text = int(binary.BigEndian.Uint32(f.body)), f.body[4:]
		case f.kind == kindError:
			text, _ := decodeBreach(f.body)
			n.Err = fmt.Errorf("%s", text)
		default:
			n.Err = fmt.Errorf("%w: %q from the server", errFrame, f.kind)
		}
		select {
		case c.told <- n:
		case <-c.quit:
			return
		}
		if n.Err != nil {
			return
		}
	}
}

// Tell tells all nodes a text of at most MaxBroadcast bytes. It does not wait for them.
func (c *Crew) Tell(text []byte) error {
	switch {
	case len(text) > maxNote:
		return fmt.Errorf("launch: tell: %d bytes, at most %d", len(text), maxNote)
	case c.store.link == nil:
		return nil
	}
	c.store.mu.Lock()
	defer c.store.mu.Unlock()
	return c.store.link.send(kindNote, text)
}

// Hasten says that the job ends: from here on a third of [Roll].Silence is enough for a
// machine that does not answer to count as gone. It may be called more than once.
func (c *Crew) Hasten() {
	if c.store.link != nil {
		c.store.link.hasten()
	}
	if h := c.store.hub; h != nil {
		h.mu.Lock()
		defer h.mu.Unlock()
		for l := range h.links {
			l.hasten()
		}
	}
}

// Close leaves the crew. A node that leaves without Close counts as gone, and so does
// node 0, with which the crew ends.
func (c *Crew) Close() error {
	c.once.Do(func() { close(c.quit) })
	err := c.store.Close()
	c.done.Wait()
	return err
}

// relay passes a note on to all members in the order in which notes come.
func (h *hub) relay(m *member, text []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	from := binary.BigEndian.AppendUint32(nil, uint32(m.rank))
	h.tellAll(encode(kindNote, from, text), h.limits.frame)
}
