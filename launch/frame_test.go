package launch

import (
	"bytes"
	"errors"
	"io"
	"testing"
)

func TestFrame(t *testing.T) {
	wire := encode(kindCast, []byte("ab"), nil, []byte("c"))
	f, err := readFrame(bytes.NewReader(wire), maxBody)
	if err != nil || f.kind != kindCast || string(f.body) != "abc" {
		t.Errorf("got %v, %v", f, err)
	}
	for n := range wire {
		if _, err := readFrame(bytes.NewReader(wire[:n]), maxBody); !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("first %d bytes: %v", n, err)
		}
	}
	if _, err := readFrame(bytes.NewReader(wire), 2); !errors.Is(err, errFrame) {
		t.Errorf("above the limit: %v", err)
	}
	if _, err := readFrame(bytes.NewReader([]byte("SSH-2.0-OpenSSH_9.2\r\n")), maxBody); !errors.Is(err, errFrame) {
		t.Errorf("another protocol: %v", err)
	}
}

// FuzzReadFrame: no input makes the decoder fail otherwise than by an error, and
// what it accepts is what it was given.
func FuzzReadFrame(f *testing.F) {
	f.Add(encode(kindDone))
	f.Add(encode(kindCast, make([]byte, callSize), []byte("data")))
	f.Add([]byte{byte(kindError), 0xff, 0xff, 0xff, 0xff, 1})
	f.Add([]byte("GET / HTTP/1.1\r\n\r\n"))
	f.Fuzz(func(t *testing.T, wire []byte) {
		got, err := readFrame(bytes.NewReader(wire), maxBody)
		if err != nil {
			return
		}
		if len(got.body) > maxBody {
			t.Errorf("a body of %d bytes", len(got.body))
		}
		if again := encode(got.kind, got.body); !bytes.HasPrefix(wire, again) {
			t.Errorf("%x was read as %x", wire, again)
		}
		decodeBreach(got.body)
		if p, err := decodePeer(got.body, peer{}); err == nil && !bytes.Equal(p.encode(), got.body) {
			t.Errorf("peer %v from %x", p, got.body)
		}
		g := gate{kind: got.kind}
		g.take(&member{}, got)
	})
}
