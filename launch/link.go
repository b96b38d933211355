package launch

import (
	"bufio"
	"context"
	"errors"
	"net"
	"time"
)

// limits bound everything that waits for the other end.
type limits struct {
	handshake time.Duration // from connecting to having proved membership
	frame     time.Duration // the rest of a frame once it has begun; a write
	farewell  time.Duration // for the server's account after giving up
	probe     time.Duration // first patience with one of several ports
	silence   time.Duration // of a machine, over tcp, until it counts as gone
	notice    time.Duration // of a wait until a person is told of it
	pending   int           // connections that have not proved membership
}

func defaultLimits() limits {
	return limits{
		handshake: 5 * time.Second,
		frame:     10 * time.Second,
		farewell:  time.Second,
		probe:     20 * time.Millisecond,
		silence:   15 * time.Second,
		notice:    5 * time.Second,
		pending:   64,
	}
}

// link is a connection that carries frames.
type link struct {
	conn net.Conn
	in   *bufio.Reader
	limits
}

// newLink makes a connection a link. A machine that was cut off sends nothing, not even
// the end of the connection: over tcp the kernel asks for it, if there is nothing on its
// way; if there is it does not ask, and what counts is how long that stays unanswered. That
// is counted from what was heard last, so the first question comes early: a machine that is
// cut off just before it has at least five sixths of the silence.
func newLink(conn net.Conn, lim limits) *link {
	if tcp, ok := conn.(*net.TCPConn); ok {
		sixth := max(time.Second, lim.silence/6)
		_ = tcp.SetKeepAliveConfig(net.KeepAliveConfig{Enable: true, Idle: sixth, Interval: sixth, Count: 5}) // else the system's own times count
		_ = unanswered(tcp, lim.silence)                                                                      // the same
	}
	return &link{conn: conn, in: bufio.NewReader(conn), limits: lim}
}

// hasten shortens the time for which what was sent may stay without an answer.
func (l *link) hasten() {
	if tcp, ok := l.conn.(*net.TCPConn); ok {
		_ = unanswered(tcp, l.silence/3) // else the longer time counts
	}
}

// send writes one frame.
func (l *link) send(k kind, parts ...[]byte) error {
	return l.sendBy(time.Now().Add(l.frame), encode(k, parts...))
}

// sendBy writes an encoded frame before a point in time.
func (l *link) sendBy(deadline time.Time, encoded []byte) error {
	if err := l.conn.SetWriteDeadline(deadline); err != nil {
		return err
	}
	_, err := l.conn.Write(encoded)
	return err
}

// receive waits for the next frame as long as it takes: that a peer is silent
// between its calls is normal, and its death closes the connection (or ends the
// keep-alive of tcp). A frame that has begun must end in time.
func (l *link) receive() (frame, error) {
	if _, err := l.in.Peek(1); err != nil {
		return frame{}, err
	}
	return l.finish()
}

// receiveContext is receive that ends with ctx. It ends between frames only, so
// that the link stays usable.
func (l *link) receiveContext(ctx context.Context) (frame, error) {
	interrupted := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		_ = l.conn.SetReadDeadline(time.Unix(1, 0)) // fails only on a closed connection, which ends Peek too
		close(interrupted)
	})
	_, err := l.in.Peek(1)
	if !stop() {
		<-interrupted
		if err != nil {
			return frame{}, errors.Join(context.Cause(ctx), l.conn.SetReadDeadline(time.Time{}))
		}
	}
	if err != nil {
		return frame{}, err
	}
	return l.finish()
}

// finish reads a frame whose first byte is there.
func (l *link) finish() (frame, error) {
	if err := l.conn.SetReadDeadline(time.Now().Add(l.frame)); err != nil {
		return frame{}, err
	}
	f, err := readFrame(l.in, maxBody)
	if err != nil {
		return frame{}, err
	}
	return f, l.conn.SetReadDeadline(time.Time{})
}
