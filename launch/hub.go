package launch

import (
	"errors"
	"fmt"
	"net"
	"sync"
	"time"
)

// hub is the server that runs in rank 0. Every process of the job, rank 0 too,
// is a client of it.
type hub struct {
	secret secret
	me     peer
	ln     net.Listener
	limits limits
	vigil  *vigil        // is told at once of members that cannot be let in
	slots  chan struct{} // one per connection that has not proved membership
	wg     sync.WaitGroup

	mu         sync.Mutex
	closed     bool
	links      map[*link]bool // all that are open
	members    []*member      // by rank; nil: has not joined
	joined     int
	incomplete bool // a member has left
	gate       gate
	broken     []byte // the encoded error, once there is one
	dropped    string // the last connection that was not let in, for messages
}

// member is a process that has joined.
type member struct {
	peer
	link *link
	here bool // has come to the present call
	left bool // has closed its store
}

func newHub(ln net.Listener, s secret, me peer, lim limits, v *vigil) *hub {
	h := &hub{
		secret: s, me: me, ln: ln, limits: lim, vigil: v,
		slots:   make(chan struct{}, lim.pending),
		links:   map[*link]bool{},
		members: make([]*member, me.size),
	}
	h.wg.Add(1)
	go h.serve()
	return h
}

// serve lets connections in until the listener is closed, which happens when
// all have joined.
func (h *hub) serve() {
	defer h.wg.Done()
	for {
		h.slots <- struct{}{}
		conn, err := h.ln.Accept()
		switch {
		case err == nil:
			h.wg.Add(1)
			go h.attend(newLink(conn, h.limits))
			continue
		case errors.Is(err, net.ErrClosed):
			return
		}
		h.drop("a connection", fmt.Errorf("accept: %w", err)) // out of descriptors, most likely: try again
		time.Sleep(10 * time.Millisecond)
		<-h.slots
	}
}

// attend serves one connection from beginning to end.
func (h *hub) attend(l *link) {
	defer h.wg.Done()
	defer h.forget(l)
	who, err := h.admit(l)
	<-h.slots
	if err != nil {
		h.drop(l.from(), err)
		return
	}
	if m := h.join(who, l); m != nil {
		h.listen(m)
	}
}

// admit finds out whether a connection belongs to the job.
func (h *hub) admit(l *link) (peer, error) {
	if !h.keep(l) {
		return peer{}, net.ErrClosed
	}
	if err := sameUser(l.conn); err != nil {
		return peer{}, err
	}
	return l.accept(h.secret, h.me)
}

// drop notes why a connection was not let in. It hurts nobody else.
func (h *hub) drop(from string, err error) {
	h.mu.Lock()
	h.dropped = from + " was not let in: " + err.Error()
	h.mu.Unlock()
	if errors.Is(err, ErrRefused) || errors.Is(err, ErrVersion) {
		h.vigil.tell()
	}
}

// listen obeys a member until it leaves.
func (h *hub) listen(m *member) {
	for {
		f, err := m.link.receive()
		if err != nil {
			h.lost(m, err)
			return
		}
		switch f.kind {
		case kindBarrier, kindCast:
			h.arrive(m, f)
		case kindNote:
			h.relay(m, f.body)
		case kindGiveUp:
			h.giveUp(m, string(f.body))
		case kindBye:
			h.leave(m)
			return
		default:
			h.lost(m, fmt.Errorf("%w: %q from a client", errFrame, f.kind))
			return
		}
	}
}

// from says where a connection comes from, as far as it has a place.
func (l *link) from() string {
	if at, ok := l.conn.RemoteAddr().(*net.TCPAddr); ok {
		return "a connection from " + at.String()
	}
	return "a connection"
}

// keep remembers an open connection; false: too late, the hub is closed.
func (h *hub) keep(l *link) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return false
	}
	h.links[l] = true
	return true
}

// forget closes a connection.
func (h *hub) forget(l *link) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.links, l)
	_ = l.conn.Close() // nothing was buffered, and the peer is told or gone
}

// close ends the service and returns when all of its goroutines have ended.
func (h *hub) close() {
	h.mu.Lock()
	h.breakWith(ErrLost, h.me.String()+" has closed its store, and with it the rendezvous")
	h.closed = true
	_ = h.ln.Close() // closed before if all have joined
	for l := range h.links {
		_ = l.conn.Close()
	}
	h.mu.Unlock()
	h.wg.Wait()
}
