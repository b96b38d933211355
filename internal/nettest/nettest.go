// Package nettest makes machines for a test out of one: network namespaces, each with an
// interface eth0 on a common network. What runs in one of them is reached from another
// only over that network, and shares no abstract names with it.
package nettest

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/internal/skip"
)

// Node is one of them.
type Node struct {
	Name string // of the namespace
	IPv4 string // address of eth0; "" if there is none
	IPv6 string
}

// Kind says what the nodes have.
type Kind struct {
	OnlyIPv6 bool
	Decoys   bool // interfaces before eth0 that lead nowhere: on one the others seem to be neighbours, but nobody answers, on one all have the same address
}

// Nodes makes n nodes that are gone at the end of the test, or ends the test as skipped
// where that is not permitted.
func Nodes(t testing.TB, n int, k Kind) []Node {
	t.Helper()
	if os.Geteuid() != 0 {
		skip.Now(t, skip.NotRoot, "network namespaces need root")
	}
	hub := fmt.Sprintf("goshmem-%d-hub", os.Getpid())
	if err := try("netns", "add", hub); err != nil {
		skip.Now(t, skip.NotRoot, "network namespaces: "+err.Error())
	}
	t.Cleanup(func() { ip(t, "netns", "del", hub) })
	ip(t, "-n", hub, "link", "add", "net", "type", "bridge")
	ip(t, "-n", hub, "link", "set", "net", "up")
	var nodes []Node
	for i := range n {
		name := fmt.Sprintf("goshmem-%d-%d", os.Getpid(), i)
		ip(t, "netns", "add", name)
		t.Cleanup(func() { ip(t, "netns", "del", name) })
		ip(t, "-n", name, "link", "set", "lo", "up")
		node := Node{Name: name, IPv6: fmt.Sprintf("fd77::%d", i+1)}
		if !k.OnlyIPv6 {
			node.IPv4 = fmt.Sprintf("10.77.0.%d", i+1)
		}
		if k.Decoys {
			node.link(t, hub, fmt.Sprintf("alone%d", i), "alone0", fmt.Sprintf("10.78.0.%d/24", i+1))
			node.link(t, hub, fmt.Sprintf("same%d", i), "same0", "10.79.0.1/24")
		}
		node.link(t, hub, fmt.Sprintf("port%d", i), "eth0", node.IPv6+"/64")
		if node.IPv4 != "" {
			ip(t, "-n", name, "addr", "add", node.IPv4+"/24", "dev", "eth0")
		}
		ip(t, "-n", hub, "link", "set", fmt.Sprintf("port%d", i), "master", "net")
		nodes = append(nodes, node)
	}
	return nodes
}

// link gives a node an interface with an address, whose other end is in the hub.
func (n Node) link(t testing.TB, hub, there, here, address string) {
	t.Helper()
	ip(t, "-n", hub, "link", "add", there, "type", "veth", "peer", "name", here, "netns", n.Name)
	ip(t, "-n", hub, "link", "set", there, "up")
	ip(t, "-n", n.Name, "link", "set", here, "up")
	add := []string{"-n", n.Name, "addr", "add", address, "dev", here}
	if strings.Contains(address, ":") {
		add = append(add, "nodad") // else it cannot be used for seconds
	}
	ip(t, add...)
}

// Command is a command that runs on a node.
func (n Node) Command(name string, args ...string) *exec.Cmd {
	return exec.Command("ip", append([]string{"netns", "exec", n.Name, name}, args...)...)
}

func ip(t testing.TB, args ...string) {
	t.Helper()
	if err := try(args...); err != nil {
		t.Errorf("%v", err)
	}
}

func try(args ...string) error {
	text, err := exec.Command("ip", args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("ip %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(string(text)))
	}
	return nil
}
