package host

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/goshmem/goshmem/internal/engine"
)

// Descriptors travel over sockets that PEs open under random names in the abstract
// namespace: nothing stays behind, whatever dies. Messages keep their boundaries
// (SOCK_SEQPACKET), so descriptors stay with their card. PE 0 opens the first; who reaches
// it and gets a descriptor through is of its node, whatever the host is called. The first
// of the others opens the next, until all have a node.

const (
	nameLen    = 64
	fdsPerCard = 2
	visitLimit = 10 * time.Second // a visitor sends its card at once
	cardLen    = 8 + 64           // rank, pid, host name
)

// placement is who shares memory with whom.
type placement struct {
	job     engine.Job
	mine    card
	node    []int  // of each PE; -1: not known yet
	nodes   int    // that are known
	cards   []card // of the PEs of this one's node; the others' have no descriptors
	shadows card   // of memory of this node for what PEs of others show; segment -1: there are none
}

// trade gives mine to all PEs that can take it, and returns who these are and their cards.
func trade(ctx context.Context, job engine.Job, mine card) (*placement, error) {
	mine.rank = job.Rank
	p := &placement{job: job, mine: mine, node: make([]int, job.Size), cards: make([]card, job.Size), shadows: card{segment: -1, process: -1}}
	for pe := range p.node {
		p.node[pe], p.cards[pe] = -1, card{rank: pe, segment: -1, process: -1}
	}
	p.cards[job.Rank] = mine
	if job.Size == 1 {
		p.node[0], p.nodes = 0, 1
		return p, nil
	}
	for root := 0; root >= 0; root = slices.Index(p.node, -1) {
		var err error
		if root == job.Rank {
			err = p.host(ctx)
		} else {
			err = p.visit(ctx, root)
		}
		if err != nil {
			p.closeOthers()
			return nil, err
		}
	}
	return p, nil
}

// place notes who came to a hub.
func (p *placement) place(came []byte) {
	for pe, c := range came {
		if c != 0 {
			p.node[pe] = p.nodes
		}
	}
	p.nodes++
}

// apart says whether two PEs are not to share memory although they could.
func (p *placement) apart(a, b int) bool {
	return p.job.Transport != "" && p.job.NodeSize > 0 && a/p.job.NodeSize != b/p.job.NodeSize
}

// host opens a hub for the PEs of this one's node. The barrier of the exchange holds
// between the cards that come and those that go: the exchange knows who dies before it has
// given its card, which nobody here could notice.
func (p *placement) host(ctx context.Context) error {
	h, err := openHub(p)
	if err != nil {
		return err
	}
	defer h.close()
	name := make([]byte, nameLen)
	copy(name, h.name)
	if err := p.job.Exchange.Broadcast(ctx, name, p.job.Rank); err != nil {
		return fmt.Errorf("tell where this PE is: %w", err)
	}
	came, err := h.gather(ctx)
	if err == nil {
		err = p.job.Exchange.Broadcast(ctx, came, p.job.Rank)
	}
	if err != nil {
		return err
	}
	p.place(came)
	if slices.Contains(came, 0) {
		if p.shadows, err = newShadows(p.mine, len(came)); err != nil {
			return err
		}
	}
	return h.deal(came)
}

// visit goes to the hub of a PE, and takes the cards of its node if it is this PE's.
func (p *placement) visit(ctx context.Context, root int) error {
	name, came := make([]byte, nameLen), make([]byte, p.job.Size)
	if err := p.job.Exchange.Broadcast(ctx, name, root); err != nil {
		return fmt.Errorf("learn where PE %d is: %w", root, err)
	}
	conn := p.reach(cstring(name), root)
	if conn != nil {
		defer conn.Close()
		defer limit(ctx, conn)()
		if err := send(conn, p.mine); err != nil && !hungUp(err) { // the exchange says more about that
			return fmt.Errorf("send the card to PE %d: %w", root, err)
		}
	}
	if err := p.job.Exchange.Barrier(ctx); err != nil {
		return fmt.Errorf("exchange of memory: %w", err)
	}
	if err := p.job.Exchange.Broadcast(ctx, came, root); err != nil {
		return fmt.Errorf("exchange of memory: %w", err)
	}
	p.place(came)
	if conn == nil || came[p.job.Rank] == 0 {
		return nil
	}
	return p.take(conn, root, came)
}

// reach connects to the hub of a PE; nil if it is of another node.
func (p *placement) reach(name string, root int) *net.UnixConn {
	if p.node[p.job.Rank] >= 0 || p.apart(root, p.job.Rank) {
		return nil
	}
	conn, err := net.DialUnix("unixpacket", nil, &net.UnixAddr{Name: name, Net: "unixpacket"})
	if err != nil { // nobody has the name here; or the PE is gone, which the exchange knows
		return nil
	}
	return conn
}

// take receives the cards of the node, and of its shadows.
func (p *placement) take(conn *net.UnixConn, root int, came []byte) error {
	for pe, c := range came {
		if c == 0 {
			continue
		}
		c, err := receive(conn)
		if err != nil {
			return fmt.Errorf("wait for the card of PE %d: %w", pe, unlessDead(conn, root, err))
		}
		if c.rank == p.job.Rank || c.rank != pe {
			c.close()
			continue
		}
		p.cards[pe] = c
	}
	if !slices.Contains(came, 0) {
		return nil
	}
	var err error
	if p.shadows, err = receive(conn); err != nil {
		return fmt.Errorf("wait for the memory of node %d: %w", p.nodes-1, unlessDead(conn, root, err))
	}
	return nil
}

// closeOthers closes what came from others; the caller keeps its own card.
func (p *placement) closeOthers() {
	for i := range p.cards {
		if i != p.job.Rank {
			p.cards[i].close()
		}
	}
	p.shadows.close()
}

// close closes all.
func (p *placement) close() {
	p.closeOthers()
	p.cards[p.job.Rank].close()
}

// hungUp says whether a connection failed because the other side has gone.
func hungUp(err error) bool {
	return slices.ContainsFunc([]error{io.EOF, unix.EPIPE, unix.ECONNRESET, unix.ECONNREFUSED}, func(e error) bool { return errors.Is(err, e) })
}

// limit ends reads and writes with ctx, until the returned function is called.
func limit(ctx context.Context, conn *net.UnixConn) (stop func() bool) {
	return context.AfterFunc(ctx, func() { conn.SetDeadline(time.Now()) })
}

func send(conn *net.UnixConn, c card) error {
	buf := make([]byte, cardLen)
	binary.LittleEndian.PutUint32(buf, uint32(c.rank))
	binary.LittleEndian.PutUint32(buf[4:], uint32(c.pid))
	copy(buf[8:len(buf)-1], c.host)
	_, _, err := conn.WriteMsgUnix(buf, unix.UnixRights(c.segment, c.process), nil)
	return err
}

// reader is what receive needs of a connection.
type reader interface {
	ReadMsgUnix(b, oob []byte) (n, oobn, flags int, addr *net.UnixAddr, err error)
}

func receive(conn reader) (card, error) {
	c := card{segment: -1, process: -1}
	buf, oob := make([]byte, cardLen), make([]byte, unix.CmsgSpace(4*fdsPerCard))
	n, oobn, flags, _, err := conn.ReadMsgUnix(buf, oob)
	if errors.Is(err, io.EOF) {
		// Linux looks for a message first and for the end second: what PE 0 sent and
		// closed in between is there, although the first read says that it is not.
		n, oobn, flags, _, err = conn.ReadMsgUnix(buf, oob)
	}
	if err != nil {
		return c, err
	}
	fds, err := rights(oob[:oobn])
	if len(fds) < fdsPerCard && flags&unix.MSG_CTRUNC != 0 { // no room for the descriptors in this process
		err = unix.EMFILE
	}
	if err != nil || len(fds) != fdsPerCard || n != cardLen || flags&(unix.MSG_TRUNC|unix.MSG_CTRUNC) != 0 {
		for _, fd := range fds {
			_ = unix.Close(fd)
		}
		if errors.Is(err, unix.EMFILE) {
			return c, err
		}
		return c, fmt.Errorf("malformed card of %d bytes with %d descriptors", n, len(fds))
	}
	c.rank = int(int32(binary.LittleEndian.Uint32(buf)))
	c.pid = int(binary.LittleEndian.Uint32(buf[4:]))
	c.host = cstring(buf[8:])
	c.segment, c.process = fds[0], fds[1]
	return c, nil
}

func rights(oob []byte) ([]int, error) {
	msgs, err := unix.ParseSocketControlMessage(oob)
	if err != nil || len(msgs) != 1 {
		return nil, errors.Join(errors.New("no descriptors"), err)
	}
	return unix.ParseUnixRights(&msgs[0])
}

func cstring(b []byte) string {
	for i, c := range b {
		if c == 0 {
			return string(b[:i])
		}
	}
	return string(b)
}
