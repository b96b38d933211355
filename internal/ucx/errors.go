package ucx

import (
	"errors"
	"fmt"

	"github.com/goshmem/goshmem/internal/abi/ucx"
	"github.com/goshmem/goshmem/internal/dl"
)

// The sentinels that errors.Is finds in what this package returns.
var (
	// ErrMissing means that there is no UCX here; the text says what to install.
	ErrMissing = errors.New("UCX cannot be loaded")
	// ErrVersion means that the library, or a peer's, is of a version that does not fit.
	ErrVersion = errors.New("this version of UCX does not fit")
	// ErrUnreachable means that the peer's process or the network to it is gone, or has
	// been silent for too long. It is final: nothing reaches that peer any more.
	ErrUnreachable = errors.New("peer cannot be reached")
	// ErrLeft means that the peer has closed its Worker.
	ErrLeft = errors.New("peer has left")
	// ErrClosed means that the Worker, Peer, Memory or Remote was closed.
	ErrClosed = errors.New("closed")
	// ErrArgument means that the call was wrong: a range outside of the memory, a message
	// that is too long, an address or key that is damaged.
	ErrArgument = errors.New("wrong argument")
	// ErrRefused means that UCX did not do what it was asked to; the text has its words.
	ErrRefused = errors.New("refused by UCX")
)

// status is what the lower byte of a word says: ucs_status_t is one byte, and what C
// leaves above it is garbage.
func status(word uintptr) int8 { return int8(uint8(word)) }

// failed says whether what a function that starts something has returned is an error.
func failed(result uintptr) bool {
	last := ucx.UCS_ERR_LAST
	return result >= uintptr(last)
}

// words is UCX's own text for a status.
func (l *library) words(s int8) string {
	return dl.Text(dl.Call(l.text, uintptr(int(s))), 200)
}

// refused is the error for a status.
func (l *library) refused(doing string, s int8) error {
	if s == ucx.UCS_ERR_NO_DEVICE {
		return fmt.Errorf("ucx: %s: %w: %s: a network interface has to be up and have an address; ucx_info -d lists those that UCX sees", doing, ErrRefused, l.words(s))
	}
	return fmt.Errorf("ucx: %s: %w: %s (UCX_LOG_LEVEL=info has it say more)", doing, ErrRefused, l.words(s))
}

// lost says whether a status means that a peer is gone.
func lost(s int8) bool {
	switch s {
	case ucx.UCS_ERR_UNREACHABLE, ucx.UCS_ERR_TIMED_OUT, ucx.UCS_ERR_REJECTED, ucx.UCS_ERR_NOT_CONNECTED, ucx.UCS_ERR_CONNECTION_RESET, ucx.UCS_ERR_ENDPOINT_TIMEOUT, ucx.UCS_ERR_CANCELED:
		return true
	}
	return false
}
