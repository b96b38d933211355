package launch

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func TestParseAddress(t *testing.T) {
	for _, s := range []string{"unix:@goshmem-12", "tcp:127.0.0.1:80", "tcp:[::1]:29500+16", "tcp:node-1.cluster:65519+16"} {
		a, err := parseAddress(s)
		if err != nil || a.String() != s {
			t.Errorf("%s: got %v, %v", s, a, err)
		}
	}
	bad := []string{"", "x", "unix:", "unix:@", "unix:/tmp/x", "unix:@" + strings.Repeat("x", 200), "tcp:", "tcp:host", "tcp:host:", "tcp::80",
		"tcp:host:0", "tcp:host:65536", "tcp:host:1+", "tcp:host:1+-1", "tcp:host:65535+1", "tcp:host:1+1000", "tcp:host:x", "udp:host:1"}
	for _, s := range bad {
		if a, err := parseAddress(s); err == nil {
			t.Errorf("%q: got %v, want an error", s, a)
		}
	}
}

func TestCandidates(t *testing.T) {
	a, err := parseAddress("tcp:h:100+2")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := a.candidates(), []string{"h:101", "h:102", "h:100"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v: the named port comes last", got, want)
	}
}

func TestGroup(t *testing.T) {
	j := Job{Family: "goshmem", Rank: 5, Size: 8, Rendezvous: "unix:@a", Token: "t", Name: "n"}
	g, err := j.Group("pair", 1, 2)
	if err != nil || g.Rank != 1 || g.Size != 2 || g.Token != "t" || g.Name == j.Name || g.Rendezvous == j.Rendezvous {
		t.Errorf("got %+v, %v", g, err)
	}
	if strings.Contains(fmt.Sprintf("%v %+v", Job{Token: "s3cret"}, &Job{Token: "s3cret"}), "s3cret") {
		t.Error("printing a job shows its token")
	}
	same, _ := j.Group("pair", 0, 2)
	other, _ := j.Group("other", 0, 2)
	if same.Rendezvous != g.Rendezvous || other.Rendezvous == g.Rendezvous {
		t.Errorf("places %s, %s, other group %s", g.Rendezvous, same.Rendezvous, other.Rendezvous)
	}
	j.Rendezvous = "tcp:h:7000"
	if g, err := j.Group("pair", 0, 2); err != nil || g.Rendezvous != "tcp:h:7000+16" {
		t.Errorf("over tcp: %+v, %v", g, err)
	}
	if g, err := j.Group("alone", 0, 1); err != nil || g.Rendezvous != "" {
		t.Errorf("alone: %+v, %v", g, err)
	}
	for _, bad := range []struct {
		name       string
		rank, size int
	}{{"", 0, 1}, {"x", 2, 2}, {"x", -1, 2}, {"x", 0, 0}, {"x", 0, MaxSize + 1}} {
		if g, err := j.Group(bad.name, bad.rank, bad.size); err == nil {
			t.Errorf("%+v: got %+v", bad, g)
		}
	}
}

// TestElsewhere: who serves where nobody comes is told if the rendezvous names another
// machine.
func TestElsewhere(t *testing.T) {
	for at, want := range map[string]string{"unix:@x": "", "tcp:127.0.0.1:7": "", "tcp:[::1]:7": "", "tcp:192.0.2.7:7": "; 192.0.2.7 (192.0.2.7) is no address of this machine"} {
		a, err := parseAddress(at)
		if err != nil {
			t.Fatal(err)
		}
		if got := a.elsewhere(t.Context()); want == "" && got != "" || !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q", at, got)
		}
	}
}
