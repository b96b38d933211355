package launch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
)

// strange is the error of somebody who answers at the rendezvous and does not greet as a
// server does.
type strange struct{ error }

// Unwrap gives what happened instead.
func (s strange) Unwrap() error { return s.error }

// notFound says why the server was not found, by what the last attempt met.
func notFound(me peer, at address, err error) error {
	place, hint := at.place(me), at.loops(me)
	switch {
	case errors.Is(err, ErrRefused) || errors.Is(err, ErrVersion):
		return fmt.Errorf("%v was not let in at %s: %w", me, place, err)
	case errors.As(err, new(strange)):
		return fmt.Errorf("%v found no server of this job at %s: what answers there is not goshmem, or is stopped (does another program hold the port?)%s: %w", me, place, hint, err)
	}
	return fmt.Errorf("%v found no server at %s (is %s 0 running, and did it get the same rendezvous and token?)%s: %w", me, place, me.noun, hint, err)
}

// place is the address as it was given: launchers are told of nothing but host and port.
func (a address) place(me peer) string {
	if me.noun == "node" {
		return strings.TrimPrefix(a.String(), "tcp:")
	}
	return a.String()
}

// loops is what launchers of several machines should know of a place that is another one
// on each of them. "": it is not.
func (a address) loops(me peer) string {
	if ip := net.ParseIP(a.host); me.noun != "node" || a.host != "localhost" && !ip.IsLoopback() {
		return ""
	}
	return "; " + a.host + " is each machine itself: others reach node 0 by another name only"
}

// hint is what a server that nobody came to should know of its place.
func (a address) hint(me peer) string { return a.loops(me) + a.elsewhere(context.Background()) }
