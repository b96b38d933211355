package launch

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
)

const (
	namePrefix = "goshmem-"
	maxName    = 80 // an abstract name has 107 bytes, and we append the number of the world
	maxPort    = 65535
	portSpan   = 16 // ports looked at after the one that is named
)

// address is a parsed rendezvous: an abstract name if name is set, else a host
// with a port, or with the span ports that follow it and then port itself.
type address struct {
	name       string
	host       string
	port, span int
}

const addressForms = "want unix:@name, tcp:host:port or tcp:host:port+n"

func parseAddress(s string) (address, error) {
	network, rest, _ := strings.Cut(s, ":")
	switch network {
	case "unix":
		return parseName(rest)
	case "tcp":
		return parseHostPort(rest)
	}
	return address{}, errors.New(addressForms)
}

func parseName(s string) (address, error) {
	name, abstract := strings.CutPrefix(s, "@")
	if !abstract || name == "" {
		return address{}, fmt.Errorf("%s: a socket that is a file would have to be cleaned up", addressForms)
	}
	if len(name) > maxName {
		return address{}, fmt.Errorf("a name of %d bytes: at most %d", len(name), maxName)
	}
	return address{name: name}, nil
}

func parseHostPort(s string) (address, error) {
	host, ports, err := net.SplitHostPort(s)
	if err != nil || host == "" {
		return address{}, errors.New(addressForms)
	}
	first, more, ranged := strings.Cut(ports, "+")
	port, err := strconv.Atoi(first)
	if err != nil || port < 1 || port > maxPort {
		return address{}, fmt.Errorf("port %q is not within 1 and %d", first, maxPort)
	}
	if !ranged {
		return address{host: host, port: port}, nil
	}
	span, err := strconv.Atoi(more)
	if err != nil || span < 0 || span > 64 || port+span > maxPort {
		return address{}, fmt.Errorf("range %q is not within 0 and 64, or passes port %d", more, maxPort)
	}
	return address{host: host, port: port, span: span}, nil
}

// String is the form that parseAddress reads.
func (a address) String() string {
	if a.name != "" {
		return "unix:@" + a.name
	}
	s := "tcp:" + net.JoinHostPort(a.host, strconv.Itoa(a.port))
	if a.span > 0 {
		s += "+" + strconv.Itoa(a.span)
	}
	return s
}

// derive is the address of something named within the job: another abstract
// name, or the ports after the one of the job, where the handshake tells who is
// who.
func (a address) derive(name string) address {
	if a.name != "" {
		return address{name: namePrefix + digest(a.name, name)}
	}
	a.span = max(a.span, min(portSpan, maxPort-a.port))
	return a
}

// network is what package net calls it.
func (a address) network() string {
	if a.name != "" {
		return "unix"
	}
	return "tcp"
}

// candidates are the addresses to listen on or to dial, in order.
func (a address) candidates() []string {
	if a.name != "" {
		return []string{"@" + a.name}
	}
	var all []string
	for i := 1; i <= a.span; i++ {
		all = append(all, net.JoinHostPort(a.host, strconv.Itoa(a.port+i)))
	}
	return append(all, net.JoinHostPort(a.host, strconv.Itoa(a.port)))
}
