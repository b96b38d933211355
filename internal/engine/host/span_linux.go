package host

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/goshmem/goshmem/internal/engine"
)

// greeting is what PEs of other nodes need to know of a PE.
type greeting struct {
	failed       string // why it cannot be reached; else the rest
	host         string
	pid          int
	base         uint64 // where its segment is
	address, key []byte
}

// greetingLen is how long a greeting is on its way.
const greetingLen = 8 << 10

func (g greeting) pack() ([]byte, error) {
	m := binary.LittleEndian.AppendUint32(nil, uint32(g.pid))
	m = binary.LittleEndian.AppendUint64(m, g.base)
	for _, part := range []string{g.failed, g.host, string(g.address), string(g.key)} {
		m = binary.LittleEndian.AppendUint16(m, uint16(len(part)))
		m = append(m, part...)
	}
	if len(m) > greetingLen {
		return nil, fmt.Errorf("this PE's address has %d bytes: set UCX_NET_DEVICES to fewer devices", len(m))
	}
	return append(m, make([]byte, greetingLen-len(m))...), nil
}

func unpackGreeting(m []byte) greeting {
	u := &unpacker{rest: m}
	return greeting{
		pid: int(u.u32()), base: u.u64(),
		failed: u.text(), host: u.text(), address: []byte(u.text()), key: []byte(u.text()),
	}
}

// span connects this PE to those of other nodes. If one of them cannot be reached all
// learn of that. Collective over the job.
func (h *Heap) span(ctx context.Context, p *placement) error {
	f := newFar(h, p.node, p.nodes)
	u, failed := openWire(h, f.handle)
	mine := greeting{host: p.mine.host, pid: p.mine.pid}
	if failed != nil {
		mine.failed = failed.Error()
	} else {
		f.wire, h.far = u, f
		mine.base, mine.address, mine.key = u.memory.Base(), u.worker.Address(), u.memory.Key()
	}
	all, err := mine.exchange(ctx, p.job)
	if err != nil {
		return fmt.Errorf("addresses of PEs on other nodes: %w", err)
	}
	if err := p.refuse(all, failed); err != nil {
		return err
	}
	for pe, g := range all {
		h.peers[pe] = peer{host: g.host, pid: g.pid}
		if !f.is(pe) {
			continue
		}
		if err := u.connect(pe, g.host, g.address, g.key, g.base); err != nil {
			return err
		}
		h.ctl[pe].state.CompareAndSwap(uint32(engine.Starting), uint32(engine.Running))
	}
	h.policy = &spanning{h.policy, h.own, u}
	f.stopped.Add(1)
	go f.watch()
	return nil
}

// exchange gives mine to all and returns everybody's.
func (g greeting) exchange(ctx context.Context, job engine.Job) ([]greeting, error) {
	mine, err := g.pack()
	if err != nil {
		g = greeting{failed: err.Error()}
		mine, _ = g.pack()
	}
	all := make([]greeting, job.Size)
	for pe := range all {
		buf := slices.Clone(mine)
		if err := job.Exchange.Broadcast(ctx, buf, pe); err != nil {
			return nil, err
		}
		all[pe] = unpackGreeting(buf)
	}
	return all, nil
}

// refuse is the error of a world over nodes that not all PEs can be in.
func (p *placement) refuse(all []greeting, own error) error {
	pe := slices.IndexFunc(all, func(g greeting) bool { return g.failed != "" })
	if pe < 0 {
		return nil
	}
	if own == nil {
		own = errors.New(all[pe].failed)
	} else {
		pe = p.job.Rank
	}
	other := slices.IndexFunc(p.node, func(node int) bool { return node != p.node[pe] })
	return fmt.Errorf("PE %d (host %s) and PE %d (host %s) share no memory, so that each PE needs UCX: PE %d: %w", pe, all[pe].host, other, all[other].host, pe, own)
}
