package launch

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// MaxBroadcast is the largest buffer that [Store.Broadcast] takes.
const MaxBroadcast = 64 << 10

const (
	headerSize = 5                       // kind, length of the body
	callSize   = 8                       // root and length in front of what is broadcast
	maxBody    = callSize + MaxBroadcast // also of a note with who told it
	maxNote    = MaxBroadcast            // of a text for all
)

// kind says what a frame means.
type kind byte

const (
	kindGreet   kind = 'G' // server: magic, nonce
	kindAnswer  kind = 'A' // client: nonce, proof, who it is
	kindProof   kind = 'P' // server: proof, who it is
	kindRefuse  kind = 'R' // server: the answer does not prove membership
	kindVersion kind = 'V' // client: has another version; which, and who it is
	kindEnter   kind = 'N' // client: believes the server, and is in
	kindBarrier kind = 'b' // client: has come to a barrier
	kindCast    kind = 'c' // client: has come to a broadcast
	kindDone    kind = 'D' // server: all have come; the root's bytes
	kindError   kind = 'E' // server: the job is broken; kind and text
	kindGiveUp  kind = 'U' // client: stops waiting; why
	kindBye     kind = 'B' // client: closes in good order
	kindNote    kind = 'T' // client: text for all; server: who told it, and the text
	kindEnded   kind = 'X' // launcher: a rank has ended; which, and how
)

// frame is the unit of what travels.
type frame struct {
	kind kind
	body []byte
}

// errFrame is what a peer that does not speak this protocol causes.
var errFrame = errors.New("not a frame of this protocol")

// encode puts header and parts into one buffer, so that one write sends them.
func encode(k kind, parts ...[]byte) []byte {
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	buf := make([]byte, headerSize, headerSize+n)
	buf[0] = byte(k)
	binary.BigEndian.PutUint32(buf[1:], uint32(n))
	for _, p := range parts {
		buf = append(buf, p...)
	}
	return buf
}

// readFrame reads one frame with a body of at most limit bytes. The length is
// judged before memory is set aside for it.
func readFrame(r io.Reader, limit int) (frame, error) {
	var head [headerSize]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return frame{}, err
	}
	f := frame{kind: kind(head[0])}
	switch f.kind {
	case kindGreet, kindAnswer, kindProof, kindRefuse, kindVersion, kindEnter, kindBarrier, kindCast, kindDone, kindError, kindGiveUp, kindBye, kindNote, kindEnded:
	default:
		return frame{}, fmt.Errorf("%w: kind %#02x", errFrame, head[0])
	}
	n := binary.BigEndian.Uint32(head[1:])
	if uint64(n) > uint64(limit) {
		return frame{}, fmt.Errorf("%w: %d bytes, at most %d", errFrame, n, limit)
	}
	f.body = make([]byte, n)
	if _, err := io.ReadFull(r, f.body); err != nil {
		return frame{}, fmt.Errorf("rest of a frame: %w", err)
	}
	return f, nil
}
