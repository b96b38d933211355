package launch

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"time"
)

// magic starts what a server says first. The server speaks first so that a
// client that looks for it among strangers sends them nothing.
const magic = "goshmem"

// version follows it: that of what is said afterwards. All processes must have the same.
const version byte = '2'

const (
	nonceSize = 32
	proofSize = sha256.Size
	maxShake  = nonceSize + proofSize + peerSize + maxHost
)

// secret is what both ends of a handshake must have in common.
type secret struct {
	token string
	world string // name of the job and number of the world
}

// prove computes the proof of one side. Each side has its own role, so that
// nobody can send a proof back to the one who made it. It covers the sender's
// description of itself.
func (s secret) prove(role string, server, client, who []byte) []byte {
	mac := hmac.New(sha256.New, []byte(s.token))
	for _, part := range [][]byte{[]byte(magic), {version}, []byte(role), server, client, []byte(s.world), who} {
		var n [4]byte
		binary.BigEndian.PutUint32(n[:], uint32(len(part)))
		mac.Write(n[:]) // lengths, so that no part can pass for another
		mac.Write(part)
	}
	return mac.Sum(nil)
}

const (
	roleServer = "server"
	roleClient = "client"
)

// accept is the server's side of the handshake: it returns who the client is.
func (l *link) accept(s secret, me peer) (peer, error) {
	server, err := nonce()
	if err != nil {
		return peer{}, err
	}
	if err := l.shakeUntil(l.handshake); err != nil {
		return peer{}, err
	}
	if _, err := l.conn.Write(encode(kindGreet, []byte(magic), []byte{version}, server)); err != nil {
		return peer{}, fmt.Errorf("handshake: %w", err)
	}
	body, err := l.expect(kindAnswer, nonceSize+proofSize+peerSize, me)
	if err != nil {
		return peer{}, err
	}
	client, proof, who := body[:nonceSize], body[nonceSize:][:proofSize], body[nonceSize+proofSize:]
	if !hmac.Equal(proof, s.prove(roleClient, server, client, who)) {
		err := fmt.Errorf("%w: the client holds another token or means another job", ErrRefused)
		_, writeErr := l.conn.Write(encode(kindRefuse))
		return peer{}, errors.Join(err, writeErr)
	}
	mine := me.encode()
	if _, err := l.conn.Write(encode(kindProof, s.prove(roleServer, server, client, mine), mine)); err != nil {
		return peer{}, fmt.Errorf("handshake: %w", err)
	}
	// A client that lost patience before it had our proof comes again: only one
	// that is known to be in may count as lost when it goes.
	if _, err := l.expect(kindEnter, 0, me); err != nil {
		return peer{}, err
	}
	them, err := decodePeer(who, me)
	return them, errors.Join(err, l.conn.SetDeadline(time.Time{}))
}

// greeted waits for the server to greet. Its patience is for strangers; with a
// server that has greeted us the whole handshake may take its time.
func (l *link) greeted(me peer, patience time.Duration) (nonce []byte, err error) {
	if err := l.shakeUntil(patience); err != nil {
		return nil, err
	}
	greeting, err := l.expect(kindGreet, len(magic)+1+nonceSize, me)
	if err != nil {
		return nil, strange{err}
	}
	said, ours := bytes.CutPrefix(greeting, []byte(magic))
	switch {
	case !ours:
		return nil, strange{fmt.Errorf("handshake: %w: it is not a goshmem server", errFrame)}
	case said[0] != version:
		_, err := l.conn.Write(encode(kindVersion, []byte{version}, me.encode())) // so that the other side can say so too
		return nil, errors.Join(fmt.Errorf("%w: the server has version %q of the rendezvous, %v has %q: build all from one release", ErrVersion, said[0], me, version), err)
	}
	return said[1:], l.shakeUntil(l.handshake)
}

// connect is the client's side: it returns who the server is.
func (l *link) connect(s secret, me peer, patience time.Duration) (peer, error) {
	client, err := nonce()
	if err != nil {
		return peer{}, err
	}
	server, err := l.greeted(me, patience)
	if err != nil {
		return peer{}, err
	}
	mine := me.encode()
	if _, err := l.conn.Write(encode(kindAnswer, client, s.prove(roleClient, server, client, mine), mine)); err != nil {
		return peer{}, fmt.Errorf("handshake: %w", err)
	}
	body, err := l.expect(kindProof, proofSize+peerSize, me)
	if err != nil {
		return peer{}, err
	}
	proof, who := body[:proofSize], body[proofSize:]
	if !hmac.Equal(proof, s.prove(roleServer, server, client, who)) {
		return peer{}, fmt.Errorf("%w: the server holds another token or serves another job", ErrRefused)
	}
	them, err := decodePeer(who, me)
	if err != nil {
		return peer{}, err
	}
	if _, err := l.conn.Write(encode(kindEnter)); err != nil {
		return peer{}, fmt.Errorf("handshake: %w", err)
	}
	return them, l.conn.SetDeadline(time.Time{})
}

// shakeUntil bounds the whole handshake, however slowly bytes trickle in.
func (l *link) shakeUntil(patience time.Duration) error {
	return l.conn.SetDeadline(time.Now().Add(patience))
}

// expect reads one frame of the handshake with at least n bytes.
func (l *link) expect(k kind, n int, me peer) ([]byte, error) {
	f, err := readFrame(l.in, maxShake)
	switch {
	case err != nil:
		return nil, fmt.Errorf("handshake: %w", err)
	case f.kind == kindRefuse:
		return nil, fmt.Errorf("%w by the server: it has another GOSHMEM_TOKEN or serves another job", ErrRefused)
	case f.kind == kindVersion && len(f.body) > 0:
		who, err := decodePeer(f.body[1:], me)
		return nil, errors.Join(fmt.Errorf("%w: %v has version %q of the rendezvous, %v has %q: build all from one release", ErrVersion, who, f.body[0], me, version), err)
	case f.kind != k || len(f.body) < n:
		return nil, fmt.Errorf("handshake: %w: %q of %d bytes", errFrame, f.kind, len(f.body))
	}
	return f.body, nil
}

func nonce() ([]byte, error) {
	b := make([]byte, nonceSize)
	if _, err := rand.Read(b); err != nil {
		return nil, fmt.Errorf("handshake: random bytes: %w", err)
	}
	return b, nil
}
