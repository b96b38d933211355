package reach

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// table is an exchange between goroutines: a channel from each to each, since somebody can
// be a broadcast ahead.
type table struct{ told [][]chan []byte }

func newTable(n int) *table {
	t := &table{}
	for range n {
		var to []chan []byte
		for range n {
			to = append(to, make(chan []byte, n))
		}
		t.told = append(t.told, to)
	}
	return t
}

// seat is the exchange of one rank.
type seat struct {
	*table
	rank int
}

func (s seat) Broadcast(ctx context.Context, buf []byte, root int) error {
	if s.rank == root {
		for to, c := range s.told[root] {
			if to != root {
				c <- slices.Clone(buf)
			}
		}
		return nil
	}
	select {
	case got := <-s.told[root][s.rank]:
		if copy(buf, got) != len(got) || len(got) != len(buf) {
			return errors.New("lengths differ")
		}
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s seat) Barrier(ctx context.Context) error {
	for root := range s.told {
		if err := s.Broadcast(ctx, nil, root); err != nil {
			return err
		}
	}
	return nil
}

// measured has machines measure, some of two ranks, and returns what the first rank of each
// found.
func measured(t *testing.T, all ...[]place) []Found {
	t.Helper()
	p := Party{}
	var where []int
	for node := range all {
		p.Speakers = append(p.Speakers, len(where))
		where = append(where, node)
		if node%2 == 1 {
			where = append(where, node) // one that does not speak
		}
	}
	tab, found := newTable(len(where)), make([]Found, len(where))
	var wg sync.WaitGroup
	for rank, node := range where {
		wg.Go(func() {
			p := p
			p.Exchange, p.Rank, p.Node = seat{tab, rank}, rank, node
			var err error
			if found[rank], err = p.measure(t.Context(), all[node]); err != nil {
				t.Errorf("rank %d: %v", rank, err)
			}
		})
	}
	wg.Wait()
	var first []Found
	for node, speaker := range p.Speakers {
		if node%2 == 1 && found[speaker] != found[speaker+1] {
			t.Errorf("node %d: ranks found %v and %v", node, found[speaker], found[speaker+1])
		}
		first = append(first, found[speaker])
	}
	return first
}

func at(address string, speed int) place {
	return place{Interface: "if-" + address, Address: address, Speed: speed}
}

// TestMeasure: what leads nowhere is not chosen, though it is there first and faster.
func TestMeasure(t *testing.T) {
	nowhere := at("240.0.0.1", 100000)
	got := measured(t, []place{nowhere, at("127.0.0.1", 0)}, []place{at("127.0.0.2", 10), at("127.0.0.3", 1000)}, []place{at("127.0.0.4", 0), nowhere})
	for node, want := range []string{"127.0.0.1", "127.0.0.3", "127.0.0.4"} {
		if got[node].Address != want || got[node].Interface != "if-"+want || got[node].IPv6 {
			t.Errorf("node %d: %+v, want %s", node, got[node], want)
		}
	}
}

// TestMeasureSix: machines that have nothing but IPv6 get that, and so do all others.
func TestMeasureSix(t *testing.T) {
	for node, f := range measured(t, []place{at("127.0.0.1", 10), at("::1", 0)}, []place{at("::1", 0)}) {
		if f.Address != "::1" || !f.IPv6 {
			t.Errorf("node %d: %+v", node, f)
		}
	}
}

// TestMeasureNone: where no interface reaches everybody it is said which, and from where
// not.
func TestMeasureNone(t *testing.T) {
	for node, f := range measured(t, []place{at("127.0.0.1", 0)}, []place{at("240.0.0.1", 0)}) {
		if f.Interface != "" || !strings.Contains(f.Why, "over IPv4 node 1 (host ") || !strings.Contains(f.Why, "is not reached by all: 240.0.0.1 (if-240.0.0.1) not from node 0; over IPv6 node 0 (host ") {
			t.Errorf("node %d: %+v", node, f)
		}
		if lines := f.Variables(nil); lines != nil {
			t.Errorf("node %d: variables %v", node, lines)
		}
	}
}

// TestAnotherMachine: an address at which another machine answers, or one that is no part
// of this, does not count.
func TestAnotherMachine(t *testing.T) {
	d, err := open(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.close()
	right := d.leaf
	if !right.reached(t.Context(), at("127.0.0.1", 0)) {
		t.Error("the machine itself does not count")
	}
	wrong := right
	wrong.Secret = make([]byte, asked)
	if wrong.reached(t.Context(), at("127.0.0.1", 0)) {
		t.Error("a machine with another secret counts")
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	go func() {
		if conn, err := ln.Accept(); err == nil {
			_, _ = conn.Write(make([]byte, 32)) // the other side may have gone
			_ = conn.Close()
		}
	}()
	wrong.Port = ln.Addr().(*net.TCPAddr).Port
	if wrong.reached(t.Context(), at("127.0.0.1", 0)) {
		t.Error("a stranger counts")
	}
}

// TestVariables: libraries are told, but not what the user has told them.
func TestVariables(t *testing.T) {
	root := t.TempDir()
	for name, state := range map[string]string{"mlx5_0/ports/1": "4: ACTIVE", "mlx5_1/ports/1": "1: DOWN"} {
		dir := filepath.Join(root, "sys/class/infiniband", name)
		if err := errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, "state"), []byte(state+"\n"), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	f := Found{Interface: "eth1", Address: "10.0.0.1"}
	all := f.variables([]string{"NCCL_SOCKET_IFNAME="}, root)
	want := []string{"NCCL_SOCKET_IFNAME==eth1", "NVSHMEM_BOOTSTRAP_UID_SOCK_IFNAME=eth1", "ROCSHMEM_BOOTSTRAP_SOCKET_IFNAME=eth1", "GLOO_SOCKET_IFNAME=eth1", "UCX_NET_DEVICES=mlx5_0:1,eth1"}
	if !slices.Equal(all, want) {
		t.Errorf("got %q", all)
	}
	f.IPv6 = true
	some := f.variables([]string{"NCCL_SOCKET_FAMILY=AF_INET", "UCX_NET_DEVICES=all", "GLOO_SOCKET_IFNAME=x"}, "/nowhere")
	want = []string{"NVSHMEM_BOOTSTRAP_UID_SOCK_IFNAME=eth1", "NVSHMEM_BOOTSTRAP_UID_SOCK_FAMILY=AF_INET6", "ROCSHMEM_BOOTSTRAP_SOCKET_IFNAME=eth1", "ROCSHMEM_BOOTSTRAP_SOCKET_FAMILY=AF_INET6"}
	if !slices.Equal(some, want) {
		t.Errorf("got %q", some)
	}
}

// TestPlaces: this machine has addresses, none of which is one of a link alone; a machine
// with nothing but itself still has that.
func TestPlaces(t *testing.T) {
	all, err := places()
	if err != nil || len(all) == 0 || len(all) > mostPlaces {
		t.Fatalf("%v, %v", all, err)
	}
	for _, p := range all {
		if ip := net.ParseIP(p.Address); ip == nil || ip.IsLinkLocalUnicast() || p.Interface == "" {
			t.Errorf("%+v", p)
		}
	}
	var addrs []net.Addr
	for _, text := range []string{"10.1.2.3/24", "169.254.1.1/16", "fe80::1/64", "fd00::1/64"} {
		ip, ipnet, err := net.ParseCIDR(text)
		if err != nil {
			t.Fatal(err)
		}
		addrs = append(addrs, &net.IPNet{IP: ip, Mask: ipnet.Mask})
	}
	if got := fmt.Sprint(usable("none", addrs)); got != "[{none 10.1.2.3 0} {none fd00::1 0}]" {
		t.Errorf("usable: %s", got)
	}
}

// TestPack: results come back as they were, whatever their number.
func TestPack(t *testing.T) {
	for n := range 20 {
		leaves := []leaf{{Places: make([]place, n)}, {Places: make([]place, 3)}}
		got := [][]bool{make([]bool, n), {true, false, true}}
		for i := range n {
			got[0][i] = i%3 == 0
		}
		buf := make([]byte, (n+3+7)/8)
		pack(buf, got)
		if again := unpack(buf, leaves); fmt.Sprint(again) != fmt.Sprint(got) {
			t.Errorf("%d: %v became %v", n, got, again)
		}
	}
}

// TestTell: a process is told where there are several machines, and only there.
func TestTell(t *testing.T) {
	for _, l := range libraries() {
		t.Setenv(l.name, "") // put back afterwards
		if l.family != "" {
			t.Setenv(l.family, "")
		}
	}
	t.Setenv(ucxDevices, "mine")
	for _, machines := range [][]int{{0, 0}, {0, 1}} {
		tab := newTable(2)
		var wg sync.WaitGroup
		for rank := range 2 {
			wg.Go(func() {
				if none, err := Tell(t.Context(), seat{tab, rank}, rank, machines); none != "" || err != nil {
					t.Errorf("rank %d: %q, %v", rank, none, err)
				}
			})
		}
		wg.Wait()
		name := os.Getenv("NCCL_SOCKET_IFNAME")
		if several := machines[1] == 1; several != strings.HasPrefix(name, "=") || several && os.Getenv("GLOO_SOCKET_IFNAME") != name[1:] || os.Getenv(ucxDevices) != "mine" {
			t.Errorf("machines %v: %q", machines, name)
		}
	}
}
