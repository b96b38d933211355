// Package reach finds the network interface of this machine that all other machines of a
// job reach: each offers its addresses, the others try them, and what they could reach
// decides. A name of an interface in a setting proves nothing, and the first one that the
// system lists may be a bridge that exists on every machine and leads nowhere.
package reach

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Exchange is how the processes of the job agree, before there is anything else.
type Exchange interface {
	// Broadcast copies root's buf into everybody's buf. All pass the same length.
	Broadcast(ctx context.Context, buf []byte, root int) error
	// Barrier returns when all have called it.
	Barrier(ctx context.Context) error
}

// Party is this process among those of the job.
type Party struct {
	Exchange Exchange
	Rank     int
	Node     int   // number of its machine
	Speakers []int // by machine, the rank that offers its addresses and tries those of others
}

// Bounds of what is asked and of how long it may take.
const (
	mostPlaces = 16 // addresses of a machine
	mostAsked  = 32 // other machines that each machine tries, the ones that follow it
	leafBytes  = 4096
	mostNodes  = 512 // all hear the offers of all, by way of one of them

	patience = 2 * time.Second        // for an address that does not answer: a lost packet is sent again after one
	least    = 500 * time.Millisecond // also where all machines were reached before
)

// Found is the interface that all others reach, by one of its addresses.
type Found struct {
	Interface string // "": there is none
	Address   string
	IPv6      bool
	Why       string // why there is none
}

// leaf is what a machine offers.
type leaf struct {
	Port   int
	Secret []byte // with which it proves to be that machine
	Host   string
	Places []place
}

// Measure finds this machine's interface. Blocking for at most a few seconds, collective
// over the job. An error is one of the exchange; that there is no such interface is none,
// nor is that a machine cannot say which it has: it counts as one without addresses.
func Measure(ctx context.Context, p Party) (Found, error) {
	places, err := places()
	if err != nil {
		places = nil
	}
	return p.measure(ctx, places)
}

// measure is Measure for a machine that has these addresses.
func (p Party) measure(ctx context.Context, places []place) (Found, error) {
	if len(p.Speakers) > mostNodes {
		return Found{Why: fmt.Sprintf("not looked for among more than %d machines", mostNodes)}, nil
	}
	var mine leaf
	speaks := p.Speakers[p.Node] == p.Rank
	if speaks {
		if door, err := open(places); err == nil {
			defer door.close()
			mine = door.leaf
		}
	}
	leaves, err := p.offers(ctx, mine)
	if err != nil {
		return Found{}, err
	}
	var got [][]bool
	if speaks {
		got = p.try(ctx, leaves)
	}
	reached, err := p.results(ctx, leaves, got)
	if err != nil {
		return Found{}, err
	}
	if err := p.Exchange.Barrier(ctx); err != nil { // no door closes before all have tried
		return Found{}, err
	}
	return choose(leaves, reached)[p.Node], nil
}

// offers gives everybody what each machine offers.
func (p Party) offers(ctx context.Context, mine leaf) ([]leaf, error) {
	leaves := make([]leaf, len(p.Speakers))
	for node, speaker := range p.Speakers {
		buf := make([]byte, leafBytes)
		if speaker == p.Rank {
			text, err := json.Marshal(mine)
			if err != nil {
				return nil, err
			}
			copy(buf, text)
		}
		if err := p.Exchange.Broadcast(ctx, buf, speaker); err != nil {
			return nil, err
		}
		if err := json.Unmarshal(bytes.TrimRight(buf, "\x00"), &leaves[node]); err != nil {
			return nil, fmt.Errorf("addresses of node %d (rank %d): %w", node, speaker, err)
		}
	}
	return leaves, nil
}

// results gives everybody what each machine has reached: by machine that tried, by machine,
// by address.
func (p Party) results(ctx context.Context, leaves []leaf, mine [][]bool) ([][][]bool, error) {
	n := 0
	for _, l := range leaves {
		n += len(l.Places)
	}
	all := make([][][]bool, len(leaves))
	for node, speaker := range p.Speakers {
		buf := make([]byte, (n+7)/8)
		if speaker == p.Rank {
			pack(buf, mine)
		}
		if err := p.Exchange.Broadcast(ctx, buf, speaker); err != nil {
			return nil, err
		}
		all[node] = unpack(buf, leaves)
	}
	return all, nil
}

func pack(buf []byte, got [][]bool) {
	i := 0
	for _, node := range got {
		for _, ok := range node {
			if ok {
				buf[i/8] |= 1 << (i % 8)
			}
			i++
		}
	}
}

func unpack(buf []byte, leaves []leaf) [][]bool {
	i := 0
	var got [][]bool
	for _, l := range leaves {
		node := make([]bool, len(l.Places))
		for k := range node {
			node[k] = buf[i/8]&(1<<(i%8)) != 0
			i++
		}
		got = append(got, node)
	}
	return got
}

// choose finds the interface of each machine: all have one of the same family of addresses.
func choose(leaves []leaf, reached [][][]bool) []Found {
	var lacks [2]string
	for i, six := range []bool{false, true} {
		all, lack := chooseIn(leaves, reached, six)
		if lack == "" {
			return all
		}
		lacks[i] = lack
	}
	none := Found{Why: fmt.Sprintf("over IPv4 %s; over IPv6 %s", lacks[0], lacks[1])}
	return slices.Repeat([]Found{none}, len(leaves))
}

// chooseIn is choose for one family; lack says which machine has none.
func chooseIn(leaves []leaf, reached [][][]bool, six bool) (all []Found, lack string) {
	for node, l := range leaves {
		found, best := Found{}, -1
		var missed []string
		for i, at := range l.Places {
			if at.six() != six {
				continue
			}
			if who := misses(reached, node, i); len(who) > 0 {
				missed = append(missed, fmt.Sprintf("%s (%s) not from %s", at.Address, at.Interface, nodes(who)))
			} else if at.Speed > best {
				found, best = Found{Interface: at.Interface, Address: at.Address, IPv6: six}, at.Speed
			}
		}
		if best < 0 {
			if missed == nil {
				missed = []string{"it has no address"}
			}
			return nil, fmt.Sprintf("node %d (host %s) is not reached by all: %s", node, l.Host, strings.Join(missed, ", "))
		}
		all = append(all, found)
	}
	return all, ""
}

// misses are the machines that have not reached an address.
func misses(reached [][][]bool, node, i int) []int {
	var who []int
	for other := range reached {
		if other != node && !reached[other][node][i] {
			who = append(who, other)
		}
	}
	return who
}

func nodes(list []int) string {
	if len(list) == 1 {
		return fmt.Sprintf("node %d", list[0])
	}
	return "nodes " + strings.Trim(strings.Join(strings.Fields(fmt.Sprint(list)), ", "), "[]")
}
