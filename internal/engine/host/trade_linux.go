package host

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/goshmem/goshmem/internal/engine"
)

// Descriptors travel over a socket that PE 0 opens under a random name in the
// abstract namespace: nothing stays behind, whatever dies. Messages keep their
// boundaries (SOCK_SEQPACKET), so descriptors stay with their card.

const (
	inviteLen  = 192
	fdsPerCard = 2
	visitLimit = 10 * time.Second // a visitor sends its card at once
	cardLen    = 8 + 64           // rank, pid, host name
)

// trade gives mine to all PEs and returns everybody's cards in rank order.
func trade(ctx context.Context, job engine.Job, mine card) ([]card, error) {
	mine.rank = job.Rank
	if job.Size == 1 {
		return []card{mine}, nil
	}
	hub, err := invite(ctx, job)
	if err != nil {
		return nil, err
	}
	if hub.listener != nil {
		defer hub.listener.Close()
		return hub.serve(ctx, job, mine)
	}
	conn, err := net.DialUnix("unixpacket", nil, &net.UnixAddr{Name: hub.name, Net: "unixpacket"})
	if hungUp(err) { // PE 0 is gone; the exchange can say more
		if why := job.Exchange.Barrier(ctx); why != nil {
			err = fmt.Errorf("%w (%w)", err, why)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("reach PE 0: %w", err)
	}
	defer conn.Close()
	return visit(ctx, conn, job, mine)
}

type hub struct {
	name     string
	listener *net.UnixListener // PE 0 only
}

// invite tells everybody where the hub of PE 0 is, and on which machine.
func invite(ctx context.Context, job engine.Job) (hub, error) {
	here, err := machine()
	if err != nil {
		return hub{}, err
	}
	var h hub
	buf := make([]byte, inviteLen)
	if job.Rank == 0 {
		var random [16]byte
		if _, err := rand.Read(random[:]); err != nil {
			return h, err
		}
		h.name = "@goshmem-hub-" + hex.EncodeToString(random[:])
		if h.listener, err = net.ListenUnix("unixpacket", &net.UnixAddr{Name: h.name, Net: "unixpacket"}); err != nil {
			return h, fmt.Errorf("open the hub: %w", err)
		}
		copy(buf, h.name)
		copy(buf[64:], here)
	}
	if err := job.Exchange.Broadcast(ctx, buf, 0); err != nil {
		if h.listener != nil {
			h.listener.Close()
		}
		return h, fmt.Errorf("learn where PE 0 is: %w", err)
	}
	h.name = cstring(buf[:64])
	if there := cstring(buf[64:]); there != here {
		return h, fmt.Errorf("PE 0 runs on another machine (%s, this PE on %s): engine host covers one machine", there, here)
	}
	return h, nil
}

// machine identifies a running kernel and the host name in it.
func machine() (string, error) {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", fmt.Errorf("identify this machine: %w", err)
	}
	host, err := os.Hostname()
	if err != nil {
		return "", fmt.Errorf("host name: %w", err)
	}
	id := fmt.Sprintf("%s boot %.36s", host, boot)
	return id[:min(len(id), inviteLen-64-1)], nil
}

// serve collects a card from each other PE and sends all cards to all. The barrier
// of the exchange holds between the two: the exchange knows who dies before it has
// given its card, which nobody here could notice.
func (h hub) serve(ctx context.Context, job engine.Job, mine card) ([]card, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	cards, conns := make([]card, job.Size), make([]*net.UnixConn, job.Size)
	defer closeAll(conns)
	cards[mine.rank] = mine
	collected := make(chan error, 1)
	go func() { collected <- h.collect(ctx, cards, conns) }()
	met := job.Exchange.Barrier(ctx)
	if met != nil {
		cancel(met)
	}
	err := <-collected
	if err == nil && met != nil {
		err = fmt.Errorf("exchange of memory: %w", met)
	}
	if err == nil {
		err = deal(cards, conns)
	}
	if err != nil {
		closeOthers(cards, mine.rank)
		return nil, err
	}
	return cards, nil
}

// collect lets visitors in until every PE has given its card.
func (h hub) collect(ctx context.Context, cards []card, conns []*net.UnixConn) error {
	stop := context.AfterFunc(ctx, func() { h.listener.SetDeadline(time.Now()) })
	defer stop()
	for have := 1; have < len(cards); {
		conn, err := h.listener.AcceptUnix()
		if err != nil {
			return missing(ctx, conns, err)
		}
		c, err := admit(conn)
		if err != nil || c.rank <= 0 || c.rank >= len(cards) || conns[c.rank] != nil {
			conn.Close() // a stranger, or not a card of this job
			c.close()
			continue
		}
		conn.SetDeadline(time.Time{}) // the others may take as long as ctx allows
		cards[c.rank], conns[c.rank] = c, conn
		have++
	}
	return nil
}

// deal sends all cards to all. A PE that has died since is no reason to fail here:
// everybody gets the handle of its process and finds out who it was.
func deal(cards []card, conns []*net.UnixConn) error {
	for pe, conn := range conns {
		for i := 0; conn != nil && i < len(cards); i++ {
			err := send(conn, cards[i])
			if hungUp(err) {
				break
			}
			if err != nil {
				return fmt.Errorf("send the card of PE %d to PE %d: %w", i, pe, err)
			}
		}
	}
	return nil
}

// admit takes the card of one visitor, who must run as the same user.
func admit(conn *net.UnixConn) (card, error) {
	none := card{segment: -1, process: -1}
	conn.SetDeadline(time.Now().Add(visitLimit))
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

// visit hands mine to PE 0 and takes everybody's card.
func visit(ctx context.Context, conn *net.UnixConn, job engine.Job, mine card) ([]card, error) {
	defer limit(ctx, conn)()
	if err := send(conn, mine); err != nil && !hungUp(err) { // the exchange says more about that
		return nil, fmt.Errorf("send the card to PE 0: %w", err)
	}
	if err := job.Exchange.Barrier(ctx); err != nil {
		return nil, fmt.Errorf("exchange of memory: %w", err)
	}
	cards := make([]card, job.Size)
	for i := range cards {
		c, err := receive(conn)
		if err != nil {
			closeOthers(cards[:i], mine.rank)
			return nil, fmt.Errorf("wait for the card of PE %d: %w", i, unlessDead(conn, err))
		}
		if c.rank == mine.rank {
			c.close()
			c = mine
		}
		cards[i] = c
	}
	return cards, nil
}

// unlessDead says how the process at the other end died, PE 0 in the midst of its
// dealing, or returns err if it lives.
func unlessDead(conn *net.UnixConn, err error) error {
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
	return &engine.Stall{Cause: engine.ErrDied, Detail: fmt.Sprintf("PE 0 (pid %d) %s in the exchange of memory", cred.Pid, text)}
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
	if err != nil || len(fds) != fdsPerCard || n != cardLen || flags&(unix.MSG_TRUNC|unix.MSG_CTRUNC) != 0 {
		for _, fd := range fds {
			_ = unix.Close(fd)
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

// missing names the PEs that have not come to the hub.
func missing(ctx context.Context, conns []*net.UnixConn, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	var absent []int
	for pe := 1; pe < len(conns); pe++ {
		if conns[pe] == nil {
			absent = append(absent, pe)
		}
	}
	return fmt.Errorf("%s absent from the exchange of memory: %w", engine.PEs(absent), err)
}

func closeAll(conns []*net.UnixConn) {
	for _, c := range conns {
		if c != nil {
			c.Close()
		}
	}
}

// closeOthers closes the cards of other PEs; the caller keeps its own.
func closeOthers(cards []card, own int) {
	for i := range cards {
		if i != own && cards[i].host != "" {
			cards[i].close()
		}
	}
}

func cstring(b []byte) string {
	for i, c := range b {
		if c == 0 {
			return string(b[:i])
		}
	}
	return string(b)
}
