// Package ucx moves data between processes of different nodes: put, get, atomics and small
// messages over UCX's protocol library, which is opened at run time.
//
// A Worker is a process's end. It has an Address that others Connect to, which gives them
// a Peer; memory that it has registered has a Key, with which a Peer gives a Remote. A
// Remote is what data is put to and got from.
//
// # Order
//
// Operations to one peer are not ordered among themselves. Fence has those after it arrive
// after those before it; Flush waits until those before it have arrived. Messages of one
// sender arrive in their order, and are not ordered with puts: Flush, then Send.
//
// # Progress
//
// Over networks that cannot reach into memory, TCP for one, the target's process does what
// it is asked to, by messages of ours (request.go says why not by UCX's). A goroutine of each
// Worker sees to that: it sleeps while there is nothing to do. Whoever waits for something
// makes progress too, by himself (Put, Get, Flush, Wait) or by Progress.
//
// # Atomicity
//
// UCX is told to have processors do atomics, those of the target where the network has no
// other way: so they are atomic with what sync/atomic does there to the same words.
//
// # Memory
//
// Addresses of Go memory can be given to Put and Get: it is copied on the way. Only memory
// that was registered is read and written in place.
//
// # Deaths
//
// A peer whose process dies, or whose network is cut, ends what is under way with
// ErrUnreachable, and so does a peer that says nothing for Config.Timeout. There is one gap:
// while two Workers connect, which they begin to do at Connect and have done with the first
// flush, UCX 1.13 ends the process with a failed assertion if the other side goes. So a
// program should have all peers flushed before anybody may leave.
//
// All methods can be called by several goroutines at a time. Nothing here calls from C into Go.
package ucx

import (
	"time"

	"github.com/goshmem/goshmem/internal/abi"
)

// Config is what a Worker is opened with. The zero value of each field is right.
type Config struct {
	// Devices are the network interfaces to use, as UCX_NET_DEVICES has them ("eth0" or
	// "mlx5_0:1,eth0"); "": all, or what the variable says. The variable, if set, wins.
	Devices string
	// Transports are those that UCX may use, as UCX_TLS has them ("tcp", "posix"); "": its
	// choice. UCX_TLS, if set, wins.
	Transports string
	// Peers is how many peers are expected, as a hint.
	Peers int
	// Timeout is how long a peer may be silent before it counts as gone; 0: 30 s. Peers
	// that are connected both ways and have to do with each other say eight times in it
	// that they are there, without the program's help; others count as gone when an
	// operation takes longer.
	Timeout time.Duration
}

// defaultTimeout is long enough for a large put over a slow network.
const defaultTimeout = 30 * time.Second

func (c Config) timeout() time.Duration {
	if c.Timeout <= 0 {
		return defaultTimeout
	}
	return c.Timeout
}

// Found is what Probe has to tell.
type Found struct {
	Version string // "1.13.1"
	Path    string // of the library
}

// Probe says which library would be used. The error says what was looked for, where, and
// what to install (ErrMissing), or that it is too old (ErrVersion).
func Probe() (Found, error) {
	l, err := load(abi.UCX())
	if err != nil {
		return Found{}, err
	}
	return Found{Version: l.version, Path: l.lib.Path()}, nil
}
