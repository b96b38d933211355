package ipc

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"unsafe"

	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/engine"
)

// join takes memory, lets the others reach it, and reaches theirs. It returns an error
// on every PE if there is one on any.
func (p *plane) join(ctx context.Context, err error, reach func([]card) error) error {
	var mine card
	if err := p.control.Commit(p.around, desk); err != nil { // without it there is no other way to say that
		p.control.Fail(err.Error(), engine.Stays)
		return err
	}
	if err == nil {
		err = p.take(&mine)
	}
	if err = p.agree(ctx, &mine, err); err == nil {
		err = p.agree(ctx, &mine, p.ready(&mine, reach))
	}
	if err != nil {
		return errors.Join(err, p.Close())
	}
	p.level()
	return nil
}

// agree meets the others, and returns the own error or the first that another has.
func (p *plane) agree(ctx context.Context, mine *card, err error) error {
	if err != nil {
		mine.fail(err)
	}
	p.show(mine)
	if met := p.meet(ctx, engine.KindInit); met != nil || err != nil {
		return errors.Join(err, met)
	}
	p.cards = p.read()
	return judge(p.cards)
}

// take allocates the own memory and describes it.
func (p *plane) take(c *card) error {
	p.dev = p.turn % p.driver.Count()
	p.reach = p.driver.HostReach()
	about, err := p.driver.Properties(p.dev)
	if err != nil {
		return err
	}
	p.values = about.WaitValues && p.driver.Name() != "hip" // AMD's wait on memory made for it only
	p.layout = newLayout(p.size, p.n, blocksFor(p.driver), stageFor(p.driver))
	c.size, c.blocks, c.dev, c.tag = uint64(p.size), uint64(about.Processors), int64(p.dev), rand.Uint64()
	c.driver.set(p.driver.Name())
	c.uuid.set(about.UUID)
	c.name.set(about.Name)
	if err := p.alloc(c.tag); err != nil {
		return err
	}
	c.base, c.skip = uint64(p.base[p.rank]), uint64(p.base[p.rank]-p.block)
	if p.local {
		return nil
	}
	c.handle, err = p.driver.Export(p.dev, p.block)
	if err != nil {
		return fmt.Errorf("cannot export memory of device %d (%s) to other processes: %w", p.dev, about.Name, err)
	}
	return nil
}

// alloc allocates, and clears what the engine uses itself.
func (p *plane) alloc(tag uint64) error {
	block, err := p.driver.Alloc(p.dev, p.end+page)
	if err != nil {
		return fmt.Errorf("a heap of %d bytes and %d more for the engine: %w: lower GOSHMEM_HEAP_SIZE", p.size, p.end-p.size, err)
	}
	p.block, p.base[p.rank] = block, (block+page-1)&^(page-1)
	if _, err := p.watch.lane.open(); err != nil { // it must not wait for anything later
		return err
	}
	if err := p.clear(p.lane, p.head, p.end-p.head); err != nil {
		return err
	}
	return p.write(p.rank, p.head+headTag, tag)
}

// ready reaches the others' memory, writes the table of where it is, and loads kernels.
func (p *plane) ready(mine *card, reach func([]card) error) error {
	if err := reach(p.cards); err != nil {
		return err
	}
	for pe := range p.n {
		if err := p.write(p.rank, p.bases+engine.Offset(pe)*word, uint64(p.base[pe])); err != nil {
			return err
		}
	}
	for pe := range p.n {
		if tag, err := p.word(pe, p.head+headTag); err != nil || tag != p.cards[pe].tag {
			return p.unreachable(pe, errors.Join(err, errors.New("what is read there is something else")))
		}
	}
	p.most = p.share()
	p.world = &group{p: p, first: 0, stride: 1, size: p.n, me: p.rank}
	if p.load(); p.code.err != nil {
		put(mine.kernels[:], p.code.err.Error())
	}
	return nil
}

// level has no PE use kernels for what others would not: one that lacks a compiler.
func (p *plane) level() {
	for pe := range p.cards {
		if reason := get(p.cards[pe].kernels[:]); reason != "" && p.bare == nil {
			p.bare = fmt.Errorf("PE %d has none: %s: %w", pe, reason, device.ErrUnsupported)
		}
	}
}

// share is how many blocks a kernel that waits for others may have, so that those of all
// PEs of a device have room on it at once. It is the same for all.
func (p *plane) share() uintptr {
	sharers := map[text]uint64{}
	for i := range p.cards {
		sharers[p.cards[i].uuid]++
	}
	most := uint64(p.blocks)
	for i := range p.cards {
		most = min(most, p.cards[i].blocks/sharers[p.cards[i].uuid])
	}
	return uintptr(max(most, 1))
}

// importAll maps the memory of the other processes.
func (p *plane) importAll(cards []card) error {
	for pe := range cards {
		if pe == p.rank {
			continue
		}
		at, err := p.driver.Import(p.dev, cards[pe].handle)
		if err != nil {
			return p.unreachable(pe, err)
		}
		p.base[pe], p.imports[pe] = at+device.Ptr(cards[pe].skip), at
	}
	return nil
}

// shareAll uses the addresses of the other PEs of this process.
func (p *plane) shareAll(cards []card) error {
	for pe := range cards {
		p.base[pe] = device.Ptr(cards[pe].base)
		if err := p.admit(int(cards[pe].dev)); err != nil {
			return p.unreachable(pe, err)
		}
	}
	return nil
}

// admit lets this PE's device reach another's memory.
func (p *plane) admit(dev int) error {
	if dev == p.dev {
		return nil
	}
	access, err := p.driver.Peer(p.dev, dev)
	if err != nil {
		return err
	}
	if !access.Access {
		return fmt.Errorf("the devices have no access to each other: %w", device.ErrUnsupported)
	}
	return p.driver.EnablePeer(p.dev, dev)
}

func (p *plane) unreachable(pe int, err error) error {
	mine, theirs := &p.cards[p.rank], &p.cards[pe]
	return fmt.Errorf("PE %d (%v, %v) cannot reach the memory of PE %d (%v, %v): %w", p.rank, &mine.name, &mine.uuid, pe, &theirs.name, &theirs.uuid, err)
}

// write stores a word in a PE's memory, beside all streams of the program.
func (p *plane) write(pe int, at engine.Offset, v uint64) error {
	s, err := p.lane.open()
	if err != nil {
		return err
	}
	return p.driver.CopyIn(p.dev, p.at(pe, at), unsafe.Pointer(&v), word, s)
}

// word reads a word of a PE's memory.
func (p *plane) word(pe int, at engine.Offset) (v uint64, err error) {
	s, err := p.lane.open()
	if err != nil {
		return 0, err
	}
	err = p.driver.CopyOut(p.dev, unsafe.Pointer(&v), p.at(pe, at), word, s)
	return v, err
}

// Close gives all back: first what is mapped here, and when nobody has it mapped any
// more, the own memory.
func (p *plane) Close() error {
	p.closing.Do(func() { p.closed = p.shut() })
	return p.closed
}

func (p *plane) shut() error {
	if p.driver == nil {
		return p.part()
	}
	if err := p.watch.end(); err != nil { // to free memory would wait for the streams
		return err
	}
	errs := []error{p.unload()}
	if p.world != nil {
		errs = append(errs, p.world.Close(context.Background()))
	}
	for _, at := range p.imports {
		if at != 0 {
			errs = append(errs, p.driver.CloseImport(p.dev, at))
		}
	}
	errs = append(errs, p.part())
	if p.block != 0 {
		errs = append(errs, p.driver.Free(p.dev, p.block))
	}
	return errors.Join(errs...)
}

// part waits until all others have closed their mappings, if it can be waited for them.
// Who is not there has none.
func (p *plane) part() error {
	if p.local || p.control.Broken() != nil {
		return nil
	}
	if err := p.meet(context.Background(), engine.KindFinalize); err != nil && p.control.Broken() == nil {
		return err
	}
	return nil
}
