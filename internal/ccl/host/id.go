package host

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"strings"

	"github.com/goshmem/goshmem/internal/ccl"
)

// An id is a mark, the token of the communicator, the machine, and where to meet.
const (
	mark    = "goshcc1\x00"
	tokenAt = len(mark)
	whereAt = tokenAt + len(token{})
	meetAt  = whereAt + len(token{})
)

// token is what only the ranks of a communicator know.
type token [16]byte

func (t token) String() string { return hex.EncodeToString(t[:]) }

// derive is the token of a communicator made of this one.
func (t token) derive(parts ...any) (d token) {
	sum := sha256.Sum256([]byte(fmt.Sprint(append([]any{t}, parts...)...)))
	copy(d[:], sum[:])
	return d
}

func random(b []byte) error {
	if _, err := rand.Read(b); err != nil {
		return failed(callID, ccl.System, err)
	}
	return nil
}

// UniqueID makes an id. Nothing serves it before rank 0 comes.
func (l *Library) UniqueID() (id ccl.ID, err error) {
	copy(id[:], mark)
	if err := random(id[tokenAt:whereAt]); err != nil {
		return id, err
	}
	where, err := machine()
	if err != nil {
		return id, failed(callID, ccl.System, err)
	}
	copy(id[whereAt:meetAt], where[:])
	address, err := rendezvous(token(id[tokenAt:whereAt]))
	if err != nil {
		return id, failed(callID, ccl.System, err)
	}
	copy(id[meetAt:], address)
	return id, nil
}

// parse reads an id of this machine.
func parse(id ccl.ID) (t token, address string, err error) {
	if string(id[:tokenAt]) != mark {
		return t, "", invalid(callInit, "the id is none of the host library's: all ranks must use the same library")
	}
	here, err := machine()
	if err != nil {
		return t, "", failed(callInit, ccl.System, err)
	}
	if token(id[whereAt:meetAt]) != here {
		return t, "", fault(callInit, ccl.InvalidUsage, "the id was made on another machine, or in another container with a kernel or host name of its own: the host library covers one machine")
	}
	return token(id[tokenAt:whereAt]), strings.TrimRight(string(id[meetAt:]), "\x00"), nil
}

// machine is a running kernel, and the host name in it where there is no more to know.
func machine() (t token, err error) {
	what, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil { // not Linux
		var host string
		if host, err = os.Hostname(); err != nil {
			return t, fmt.Errorf("host name: %w", err)
		}
		what = []byte(host)
	}
	sum := sha256.Sum256(what)
	copy(t[:], sum[:])
	return t, nil
}
