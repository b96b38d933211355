package launch

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"os"
)

// peer is what a process says about itself in the handshake.
type peer struct {
	rank, size, pid int
	host            string
	noun            string // what it is: "rank", or "node" for the launcher of one; not sent
}

const (
	peerSize = 12  // three numbers in front of the host
	maxHost  = 255 // longest name of a host
)

func self(j Job) peer {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown" // it only makes messages better
	}
	return peer{rank: j.Rank, size: j.Size, pid: os.Getpid(), host: host[:min(len(host), maxHost)], noun: cmp.Or(j.noun, "rank")}
}

// String is how messages name a process.
func (p peer) String() string {
	return fmt.Sprintf("%s %d (host %s, pid %d)", p.noun, p.rank, p.host, p.pid)
}

// nouns is what messages call all of the job.
func (p peer) nouns() string {
	if p.noun == "rank" {
		return "processes"
	}
	return p.noun + "s"
}

func (p peer) encode() []byte {
	buf := binary.BigEndian.AppendUint32(nil, uint32(p.rank))
	buf = binary.BigEndian.AppendUint32(buf, uint32(p.size))
	buf = binary.BigEndian.AppendUint32(buf, uint32(p.pid))
	return append(buf, p.host...)
}

// decodePeer reads what encode has written of a member of the job that me is in.
func decodePeer(b []byte, me peer) (peer, error) {
	if len(b) < peerSize || len(b) > peerSize+maxHost {
		return peer{}, fmt.Errorf("%w: a process described in %d bytes", errFrame, len(b))
	}
	return peer{
		rank: int(binary.BigEndian.Uint32(b)),
		size: int(binary.BigEndian.Uint32(b[4:])),
		pid:  int(binary.BigEndian.Uint32(b[8:])),
		host: string(b[peerSize:]),
		noun: me.noun,
	}, nil
}
