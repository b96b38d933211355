package launcher

import (
	"bytes"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"
)

// lockedBuffer is a buffer that may be looked at while it is written.
type lockedBuffer struct {
	mu     sync.Mutex
	buf    bytes.Buffer
	writes chan struct{}
}

func newBuffer() *lockedBuffer { return &lockedBuffer{writes: make(chan struct{}, 1)} }

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	select {
	case b.writes <- struct{}{}:
	default:
	}
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// await waits until text was written n times.
func (b *lockedBuffer) await(t *testing.T, text string, n int) {
	t.Helper()
	deadline := time.After(10 * time.Second)
	for strings.Count(b.String(), text) < n {
		select {
		case <-b.writes:
		case <-t.Context().Done():
			return
		case <-deadline:
			t.Errorf("output has not %q %d times: %q", text, n, b.String())
			return
		}
	}
}

// mustCode fails the test unless err asks for the given exit status.
func mustCode(t *testing.T, err error, code int) {
	t.Helper()
	known := new(Error)
	if !errors.As(err, &known) || known.Code != code {
		t.Fatalf("error %v: want exit status %d, have %+v", err, code, known)
	}
}
