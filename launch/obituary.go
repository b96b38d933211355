package launch

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"sync"
	"time"
)

// Obituaries is how a launcher tells the ranks of its job which of them have
// ended. Who waits in [Join] for one of these learns at once that it will not
// come; without a launcher that says so only the time limit ends such a wait.
type Obituaries struct {
	ln     net.Listener
	limits limits
	wg     sync.WaitGroup

	mu      sync.Mutex
	said    [][]byte                // encoded, in the order of the deaths
	begun   bool                    // before, nothing is told
	readers map[*link]chan struct{} // to each: there is more to read
	closed  bool
}

// endings is the name of the obituaries: that of the rendezvous and a word, or one made of
// the place where a job over several machines meets.
func (j Job) endings(at address) string {
	const word = ".ended"
	if at.name != "" {
		return at.name + word
	}
	return namePrefix + digest(at.String(), j.Token, strconv.Itoa(j.NodeRank)) + word
}

// Announce opens the obituaries of the ranks of j on this machine, of which Rendezvous,
// Token and NodeRank count. The launcher calls it before it starts the ranks, and Begin
// afterwards.
func Announce(j Job) (*Obituaries, error) {
	return announceWithin(j, defaultLimits())
}

func announceWithin(j Job, lim limits) (*Obituaries, error) {
	at, err := parseAddress(j.Rendezvous)
	if err == nil {
		err = abstractNames()
	}
	if err != nil {
		return nil, fmt.Errorf("launch: announce: %q: %w", j.Rendezvous, err)
	}
	ln, err := net.Listen("unix", "@"+j.endings(at))
	if err != nil {
		return nil, fmt.Errorf("launch: announce: %w", err)
	}
	o := &Obituaries{ln: ln, limits: lim, readers: map[*link]chan struct{}{}}
	o.wg.Go(o.serve)
	return o, nil
}

// serve lets readers in until the listener is closed.
func (o *Obituaries) serve() {
	for {
		conn, err := o.ln.Accept()
		switch {
		case err == nil:
			o.wg.Go(func() { o.attend(newLink(conn, o.limits)) })
		case errors.Is(err, net.ErrClosed):
			return
		default:
			time.Sleep(10 * time.Millisecond) // out of descriptors, most likely: try again
		}
	}
}

// attend keeps one reader until it goes.
func (o *Obituaries) attend(l *link) {
	defer o.dismiss(l)
	if sameUser(l.conn) != nil {
		return
	}
	more := o.admit(l)
	if more == nil {
		return
	}
	o.wg.Go(func() { o.tell(l, more) })
	_, _ = l.in.Peek(1) // readers say nothing: this ends with the connection
}

// admit returns nil when it is too late.
func (o *Obituaries) admit(l *link) (more chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return nil
	}
	more = make(chan struct{}, 1)
	o.readers[l] = more
	return more
}

// tell writes to one reader what was said, and what is, until it goes. One that is
// stopped and has not read for long is given up.
func (o *Obituaries) tell(l *link, more <-chan struct{}) {
	told := 0
	for open := true; open; _, open = <-more {
		for _, text := range o.since(told) {
			if err := l.sendBy(time.Now().Add(o.limits.frame), text); err != nil {
				_ = l.conn.Close() // attend sees that
				return
			}
			told++
		}
	}
}

// since is what was said after the first n texts.
func (o *Obituaries) since(n int) [][]byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.begun {
		return nil
	}
	return o.said[n:]
}

func (o *Obituaries) dismiss(l *link) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if more := o.readers[l]; more != nil {
		close(more)
	}
	delete(o.readers, l)
	_ = l.conn.Close() // nothing was buffered
}

// Begin says that all ranks are started and that the launcher sees them end in the
// order in which they do. Until then none gets past [Join], which fails if its time is
// over before: a rank that ends because of another one must not be seen to end before
// it. It does not wait for the readers.
func (o *Obituaries) Begin() {
	o.mu.Lock()
	o.begun = true
	o.said = slices.Insert(o.said, 0, encode(kindDone)) // ranks of other machines may have ended before
	o.mu.Unlock()
	o.wake()
}

// Ended says that a rank of the job, a process of host, has ended, and how: "exited with
// status 0". It does not wait for the readers.
func (o *Obituaries) Ended(rank int, host string, pid int, how string) {
	who := peer{rank: rank, host: host, pid: pid, noun: "rank"}
	o.say(encode(kindEnded, binary.BigEndian.AppendUint32(nil, uint32(rank)), []byte(who.String()+" "+how)))
}

// say lets all readers know, also those to come.
func (o *Obituaries) say(text []byte) {
	o.mu.Lock()
	o.said = append(o.said, text)
	o.mu.Unlock()
	o.wake()
}

// wake has all readers look.
func (o *Obituaries) wake() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, more := range o.readers {
		select {
		case more <- struct{}{}:
		default: // its goroutine has not looked since the last time
		}
	}
}

// Close ends the obituaries.
func (o *Obituaries) Close() error {
	err := o.ln.Close()
	o.mu.Lock()
	o.closed = true
	for l := range o.readers {
		_ = l.conn.Close() // its reader may have done so before
	}
	o.mu.Unlock()
	o.wg.Wait()
	return err
}

// heed waits until the launcher has begun and then calls told for every rank that
// has ended, until stop is called. Most launchers tell nothing: that there are no
// obituaries is no error. That somebody has them and does not begin while ctx lasts is
// one.
func (j Job) heed(ctx context.Context, at address, lim limits, told func(rank int, how string)) (stop func(), err error) {
	if abstractNames() != nil || at.name == "" && j.Nodes == 0 {
		return func() {}, nil
	}
	d := net.Dialer{Timeout: lim.handshake}
	conn, err := d.DialContext(ctx, "unix", "@"+j.endings(at))
	if err != nil {
		return func() {}, nil
	}
	l, done := newLink(conn, lim), make(chan struct{})
	if !l.begun(ctx) {
		_ = conn.Close() // nothing was said on it
		if ctx.Err() != nil {
			return nil, fmt.Errorf("the launcher, which answers at @%s, has not started all ranks: %w", j.endings(at), context.Cause(ctx))
		}
		return func() {}, nil
	}
	go func() {
		defer close(done)
		l.obituaries(told)
	}()
	return func() {
		_ = conn.Close() // the launcher may have done so
		<-done
	}, nil
}

// begun waits for the beginning of the obituaries. False: it does not come, or
// somebody else has taken their name.
func (l *link) begun(ctx context.Context) bool {
	if sameUser(l.conn) != nil {
		return false
	}
	f, err := l.receiveContext(ctx)
	return err == nil && f.kind == kindDone
}

// obituaries reads until the connection ends.
func (l *link) obituaries(told func(rank int, how string)) {
	for {
		f, err := l.receive()
		if err != nil || f.kind != kindEnded || len(f.body) < 4 {
			return
		}
		told(int(binary.BigEndian.Uint32(f.body)), string(f.body[4:]))
	}
}

// mourned is the error of a job of which a rank has ended before all had joined.
func mourned(how string) string { return how + " before all had joined" }

// ended is what becomes of the job when a rank has ended: nothing if it had joined,
// since then its connection tells what there is to tell.
func (h *hub) ended(rank int, how string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.members[rank] == nil {
		h.breakWith(ErrLost, mourned(how)+"; "+h.roster())
	}
}
