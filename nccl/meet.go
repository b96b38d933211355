package nccl

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/internal/abi"
	"github.com/goshmem/goshmem/internal/ccl"
	"github.com/goshmem/goshmem/internal/machine"
	"github.com/goshmem/goshmem/internal/reach"
	"github.com/goshmem/goshmem/launch"
)

// meeting is how the ranks reach each other before there is a communicator, and in checked
// mode afterwards. Without an exchange they do not.
type meeting struct {
	exchange   Exchange
	rank, size int
	store      *launch.Store // what to close; nil: nothing
	spread     bool          // the ranks are on several machines
}

// meet finds the others.
func (o settled) meet(ctx context.Context, job launch.Job) (*meeting, error) {
	m := &meeting{exchange: o.Exchange, rank: job.Rank, size: job.Size}
	if len(o.ids()) > 0 || o.Exchange != nil {
		return m, nil
	}
	store, err := launch.Join(ctx, job)
	if err != nil {
		return nil, err
	}
	m.exchange, m.store = store, store
	return m, nil
}

// Close leaves the meeting.
func (m *meeting) Close() error {
	if m.store == nil {
		return nil
	}
	return m.store.Close()
}

// gather gives everybody what all have: texts of at most room bytes.
func (m *meeting) gather(ctx context.Context, mine []byte, room int) ([][]byte, error) {
	all := make([][]byte, m.size)
	for rank := range all {
		all[rank] = make([]byte, room)
		if rank == m.rank {
			copy(all[rank], mine)
		}
		if err := m.exchange.Broadcast(ctx, all[rank], rank); err != nil {
			return nil, err
		}
		all[rank] = bytes.TrimRight(all[rank], "\x00")
	}
	return all, nil
}

// card is what a rank tells of itself before anything is started.
type card struct {
	Host      string            `json:"host"`
	Machine   string            `json:"machine"`
	Library   string            `json:"library"`
	Version   int               `json:"version"`
	Path      string            `json:"path"`
	Device    string            `json:"device"`
	PCI       string            `json:"pci"`
	Problem   string            `json:"problem"` // why this rank cannot go on
	Variables map[string]string `json:"variables,omitempty"`
}

const (
	cardRoom     = 8 << 10
	variableRoom = 5 << 10 // of it are for variables

	ifname = "NCCL_SOCKET_IFNAME"
)

// newCard is that of this rank.
func newCard(d *gpu.Device, lib ccl.Library, problem error) card {
	var c card
	c.Host, _ = os.Hostname()   // without a name hosts are all one, at worst
	c.Machine, _ = machine.ID() // nor does it without this
	if problem != nil {
		c.Problem = problem.Error()
		c.Problem = c.Problem[:min(len(c.Problem), 1<<10)]
		return c
	}
	c.Library, c.Version, c.Path, c.Device = lib.Name(), lib.Version(), lib.Path(), d.String()
	if p, err := d.Properties(); err == nil {
		c.PCI = p.PCI
	}
	c.Variables = variables(os.Environ(), variableRoom)
	return c
}

// variables are those of the libraries that are set here, as far as there is room.
func variables(environ []string, room int) map[string]string {
	list := map[string]string{}
	slices.Sort(environ)
	for _, line := range environ {
		name, value, _ := strings.Cut(line, "=")
		if !strings.HasPrefix(name, "NCCL_") && !strings.HasPrefix(name, "RCCL_") {
			continue
		}
		if room -= 2*len(line) + 8; room < 0 { // quoting can double it
			break
		}
		list[name] = value
	}
	return list
}

// agree compares the ranks, and brings the id of rank 0 to all. What this rank cannot go on
// for it tells the others, who would wait for it.
func (m *meeting) agree(ctx context.Context, o settled, d *gpu.Device, lib ccl.Library, chosen error) ([]ccl.ID, error) {
	if chosen == nil {
		chosen = o.tunes(lib)
	}
	if m.exchange == nil {
		return o.ids(), chosen
	}
	text, err := json.Marshal(newCard(d, lib, chosen))
	if err != nil {
		return nil, err
	}
	texts, err := m.gather(ctx, text, cardRoom)
	if err != nil || chosen != nil {
		return nil, several(chosen, err)
	}
	cards := make([]card, len(texts))
	for rank, text := range texts {
		if err := json.Unmarshal(text, &cards[rank]); err != nil {
			return nil, fmt.Errorf("what rank %d tells of itself: %w", rank, err)
		}
	}
	if err := compare(cards); err != nil {
		return nil, err
	}
	m.spread = slices.ContainsFunc(cards, func(c card) bool { return c.Host != cards[0].Host })
	if m.rank == 0 {
		differences(cards, o.Logf)
	}
	if err := m.tellNetwork(ctx, cards, o.Logf); err != nil {
		return nil, err
	}
	id, err := m.ship(ctx, lib)
	return []ccl.ID{id}, err
}

// tellNetwork tells libraries by which interface the machines reach each other, unless all
// ranks have been told by their launcher or their user.
func (m *meeting) tellNetwork(ctx context.Context, cards []card, logf func(string, ...any)) error {
	var ids []string
	told := 0
	for _, c := range cards {
		ids = append(ids, c.Machine)
		if c.Variables[ifname] != "" {
			told++
		}
	}
	if told == len(cards) {
		return nil
	}
	none, err := reach.Tell(ctx, m.exchange, m.rank, machine.Number(ids))
	if none != "" {
		logf("no network interface reaches all machines: %s", none)
	}
	return err
}

// ship brings rank 0's id to all, or why there is none.
func (m *meeting) ship(ctx context.Context, lib ccl.Library) (ccl.ID, error) {
	var packet [1024]byte
	var id ccl.ID
	var mine error
	if m.rank == 0 {
		if id, mine = lib.UniqueID(); mine != nil {
			copy(packet[len(id):], mine.Error())
		}
		copy(packet[:], id[:])
	}
	if err := m.exchange.Broadcast(ctx, packet[:], 0); err != nil || mine != nil {
		return id, several(mine, err)
	}
	copy(id[:], packet[:])
	if text := bytes.TrimRight(packet[len(id):], "\x00"); len(text) > 0 {
		return id, problem(ErrMismatch, "rank 0 could not make an id: %s", text)
	}
	return id, nil
}

// compare finds ranks that cannot go together.
func compare(cards []card) error {
	at := map[[2]string]int{}
	for rank, c := range cards {
		if c.Problem != "" {
			return problem(ErrMismatch, "rank %d on %s cannot start: %s", rank, c.Host, c.Problem)
		}
		if c.Library != cards[0].Library || c.Version != cards[0].Version {
			return problem(ErrMismatch, "rank 0 on %s has %s, rank %d on %s has %s: all need the same", cards[0].Host, cards[0].version(), rank, c.Host, c.version())
		}
		key := [2]string{c.Host, c.PCI}
		if before, twice := at[key]; twice && c.PCI != "" {
			return problem(ErrMismatch, "ranks %d and %d both have the GPU %s of %s (%s): each needs one of its own; look at what hides devices, and at the local rank",
				before, rank, c.PCI, c.Host, c.Device)
		}
		at[key] = rank
	}
	return nil
}

func (c card) version() string {
	return fmt.Sprintf("%s %s (%s)", c.Library, abi.NCCLVersion(c.Version), c.Path)
}

// differences tells which variables are not the same on all ranks.
func differences(cards []card, logf func(string, ...any)) {
	told := map[string]bool{}
	for rank, c := range cards {
		for _, pair := range [2][2]card{{cards[0], c}, {c, cards[0]}} {
			for name, value := range pair[0].Variables {
				if other, set := pair[1].Variables[name]; (!set || other != value) && !told[name] {
					told[name] = true
					logf("%s is %q on rank 0 and %q on rank %d", name, cards[0].Variables[name], c.Variables[name], rank)
				}
			}
		}
	}
}
