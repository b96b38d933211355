package host

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/goshmem/goshmem/internal/engine"
)

// hub is where the PEs of one node bring their cards.
type hub struct {
	p        *placement
	name     string
	last     string // the host on the card that ends the visits: nobody else knows it
	listener *net.UnixListener
	conns    []*net.UnixConn // of who came
}

func openHub(p *placement) (*hub, error) {
	var random [32]byte
	if _, err := rand.Read(random[:]); err != nil {
		return nil, err
	}
	h := &hub{p: p, name: "@goshmem-hub-" + hex.EncodeToString(random[:16]), last: hex.EncodeToString(random[16:]), conns: make([]*net.UnixConn, p.job.Size)}
	var err error
	if h.listener, err = net.ListenUnix("unixpacket", &net.UnixAddr{Name: h.name, Net: "unixpacket"}); err != nil {
		return nil, fmt.Errorf("open the hub: %w", err)
	}
	return h, nil
}

func (h *hub) close() {
	h.listener.Close()
	for _, c := range h.conns {
		if c != nil {
			c.Close()
		}
	}
}

// gather lets visitors in until all PEs have gone to the hub or not, and says who came.
func (h *hub) gather(ctx context.Context) ([]byte, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	collected := make(chan error, 1)
	go func() { collected <- h.collect(ctx) }()
	met := h.p.job.Exchange.Barrier(ctx)
	if met == nil {
		met = h.finish()
	}
	if met != nil {
		cancel(met)
	}
	err := <-collected
	if err == nil && met != nil {
		err = fmt.Errorf("exchange of memory: %w", met)
	}
	came := make([]byte, len(h.conns))
	for pe, conn := range h.conns {
		if conn != nil || pe == h.p.job.Rank {
			came[pe] = 1
		}
	}
	return came, err
}

// finish visits the own hub: who came before it has been let in when it is.
func (h *hub) finish() error {
	conn, err := net.DialUnix("unixpacket", nil, &net.UnixAddr{Name: h.name, Net: "unixpacket"})
	if err != nil {
		return err
	}
	defer conn.Close()
	c := h.p.mine
	c.host = h.last
	return send(conn, c)
}

// collect lets visitors in until the one comes that is the last.
func (h *hub) collect(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() { h.listener.SetDeadline(time.Now()) })
	defer stop()
	for {
		conn, err := h.listener.AcceptUnix()
		if err != nil {
			return h.missing(ctx, err)
		}
		c, err := admit(conn, h.visit(ctx))
		if errors.Is(err, unix.EMFILE) {
			conn.Close()
			return h.missing(ctx, err)
		}
		if err == nil && c.host == h.last {
			conn.Close()
			c.close()
			return nil
		}
		if err != nil || c.rank < 0 || c.rank >= len(h.conns) || h.p.node[c.rank] >= 0 || c.rank == h.p.job.Rank || h.conns[c.rank] != nil {
			conn.Close() // a stranger, or not a card of this job
			c.close()
			continue
		}
		conn.SetDeadline(time.Time{}) // the others may take as long as ctx allows
		h.p.cards[c.rank], h.conns[c.rank] = c, conn
	}
}

// missing names the PEs that have not come to the hub.
func (h *hub) missing(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	var absent []int
	for pe, conn := range h.conns {
		if conn == nil && pe != h.p.job.Rank && h.p.node[pe] < 0 && !h.p.apart(pe, h.p.job.Rank) {
			absent = append(absent, pe)
		}
	}
	if absent == nil {
		return err
	}
	return fmt.Errorf("%s absent from the exchange of memory: %w", engine.PEs(absent), err)
}

// deal sends the cards of the node to all who came. A PE that has died since is no reason
// to fail here: everybody gets the handle of its process and finds out who it was.
func (h *hub) deal(came []byte) error {
	var cards []card
	for pe, c := range came {
		if c != 0 {
			cards = append(cards, h.p.cards[pe])
		}
	}
	if h.p.shadows.segment >= 0 {
		cards = append(cards, h.p.shadows)
	}
	for pe, conn := range h.conns {
		for i := 0; conn != nil && i < len(cards); i++ {
			err := send(conn, cards[i])
			if hungUp(err) {
				break
			}
			if err != nil {
				return fmt.Errorf("send the card of PE %d to PE %d: %w", cards[i].rank, pe, err)
			}
		}
	}
	return nil
}

// visit is when a visitor must have shown its card: one that says nothing leaves time for
// those that come behind it.
func (h *hub) visit(ctx context.Context) time.Time {
	limit := visitLimit
	if end, ok := ctx.Deadline(); ok {
		limit = min(limit, max(time.Second, time.Until(end)/8))
	}
	return time.Now().Add(limit)
}

// admit takes the card of one visitor, who must run as the same user.
func admit(conn *net.UnixConn, until time.Time) (card, error) {
	none := card{segment: -1, process: -1}
	conn.SetDeadline(until)
	cred, err := credentials(conn)
	if err != nil {
		return none, err
	}
	if int(cred.Uid) != os.Getuid() {
		return none, errors.New("another user's process")
	}
	return receive(conn)
}

// credentials says who opened the other end.
func credentials(conn *net.UnixConn) (cred *unix.Ucred, err error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return nil, err
	}
	if controlErr := raw.Control(func(fd uintptr) {
		cred, err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	}); controlErr != nil {
		return nil, controlErr
	}
	return cred, err
}

// unlessDead says how the process at the other end died, a PE in the midst of its
// dealing, or returns err if it lives.
func unlessDead(conn *net.UnixConn, pe int, err error) error {
	cred, credErr := credentials(conn)
	if credErr != nil || !hungUp(err) {
		return err
	}
	text := "died"
	if fd, openErr := unix.PidfdOpen(int(cred.Pid), 0); openErr == nil {
		defer unix.Close(fd)
		const grace = 100 // milliseconds; a connection ends a moment before its process
		if n, _ := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, grace); n == 0 {
			return err
		}
		text = obituary(fd, int(cred.Pid))
	}
	return &engine.Stall{Cause: engine.ErrDied, Detail: fmt.Sprintf("PE %d (pid %d) %s in the exchange of memory", pe, cred.Pid, text)}
}
