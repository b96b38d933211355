package host

import (
	"fmt"

	"github.com/goshmem/goshmem/internal/ccl"
	"github.com/goshmem/goshmem/internal/engine"
)

// transfer is one send or receive.
type transfer struct {
	call   ccl.Call
	addr   uintptr
	bytes  uintptr
	kind   uint64 // what the elements are: both sides must say the same
	at     uintptr
	where  uint64
	posted bool
	over   bool
}

// differs says what the two sides want.
func (t *transfer) differs(p *pairing, me int) string {
	size := max(ccl.Type(p.in.kind).Size(), 1)
	return fmt.Sprintf("rank %d sends %d %v to rank %d, which receives %d %v", p.peer, uintptr(p.in.bytes)/size, ccl.Type(p.in.kind), me, t.call.Count, t.call.Type)
}

// pairs are sends and receives that are done at the same time; those with one other rank in
// their order.
type pairs struct {
	c    *Comm
	list []transfer
	at   engine.Call
	err  error
}

func (s *pairs) add(call ccl.Call) {
	t := transfer{call: call, addr: call.Recv, bytes: uintptr(call.Count) * call.Type.Size(), kind: uint64(call.Type)}
	if call.Kind == ccl.Send {
		t.addr = call.Send
	}
	s.list = append(s.list, t)
}

func (s *pairs) empty() bool { return len(s.list) == 0 }

func (s *pairs) name() string {
	if s.empty() {
		return callGroup
	}
	return names[s.list[0].call.Kind]
}

func (s *pairs) clear() {
	clear(s.list)
	s.list, s.err = s.list[:0], nil
}

// begin is for a graph, too, which does it all once more.
func (s *pairs) begin() {
	for i := range s.list {
		t := &s.list[i]
		t.at, t.where, t.posted, t.over = 0, 0, false, false
	}
	s.err = nil
	s.c.calls[engine.KindSendReceive]++
	s.at = engine.Call{Kind: engine.KindSendReceive, Seq: s.c.calls[engine.KindSendReceive]}
}

// over goes on with all transfers, and says whether none is left, or one has failed.
func (s *pairs) over() bool {
	all := true
	for i := range s.list {
		t := &s.list[i]
		if s.err != nil || t.over {
			continue
		}
		p := &s.c.pairs[t.call.Peer]
		if t.call.Kind == ccl.Send {
			p.send(t, s.c.world, s.c.slot)
		} else {
			s.err = p.receive(t, s.c.world, s.c.slot)
		}
		all = all && t.over
	}
	return all || s.err != nil
}

// finish waits for the end of all.
func (s *pairs) finish(begun bool) error {
	if !begun {
		s.begin()
	}
	if err := s.c.world.heap.Wait(s.c.ctx, s.at, s.over); err != nil {
		return err
	}
	return s.err
}
