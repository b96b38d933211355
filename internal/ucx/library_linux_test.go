package ucx

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/internal/abi"
	"github.com/goshmem/goshmem/internal/dl"
)

// TestMissing: without a library one is told where it was looked for and what to install.
func TestMissing(t *testing.T) {
	spec := abi.UCX()
	spec.Path = filepath.Join(t.TempDir(), "libucp.so.0")
	if _, err := load(spec); !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), spec.Path) || !strings.Contains(err.Error(), "libucx0") {
		t.Error(err)
	}
	ok(t, os.WriteFile(spec.Path, []byte("no library"), 0o600))
	if _, err := load(spec); !errors.Is(err, ErrMissing) {
		t.Error(err)
	}
}

// TestOld: a library that lacks functions is too old.
func TestOld(t *testing.T) {
	need(t)
	spec := abi.UCX()
	spec.Symbols = append(spec.Symbols, dl.Symbol{Name: "ucp_of_tomorrow", Required: true, Since: "1.99"})
	if _, err := load(spec); !errors.Is(err, ErrVersion) || !strings.Contains(err.Error(), "ucp_of_tomorrow") {
		t.Error(err)
	}
}

func TestVersions(t *testing.T) {
	for version, want := range map[string]bool{"1.13.1": true, "1.13.0": true, "1.20.0": true, "1.12.9": false, "2.0.0": false, "0.13.0": false, "": false, "new": false} {
		err := suitable(version, "/lib/libucp.so.0")
		if (err == nil) != want || err != nil && !errors.Is(err, ErrVersion) {
			t.Errorf("version %q: %v", version, err)
		}
	}
	if err := suitable("1.12.1", "/lib/libucp.so.0"); !strings.Contains(err.Error(), "1.12.1") || !strings.Contains(err.Error(), "libucx0") {
		t.Error(err)
	}
}

// TestSeal: an address or key that was damaged on its way is refused, wherever.
func TestSeal(t *testing.T) {
	data := []byte("an address that UCX would trust")
	sealed := seal(keyMark, data)
	if back, err := unseal(keyMark, "it", sealed); err != nil || !bytes.Equal(back, data) {
		t.Fatal(back, err)
	}
	for n := range sealed {
		if _, err := unseal(keyMark, "it", sealed[:n]); !errors.Is(err, ErrArgument) {
			t.Errorf("the first %d bytes: %v", n, err)
		}
		damaged := bytes.Clone(sealed)
		damaged[n] ^= 1 << rand.IntN(8)
		if _, err := unseal(keyMark, "it", damaged); !errors.Is(err, ErrArgument) {
			t.Errorf("byte %d changed: %v", n, err)
		}
	}
	if _, err := unseal(keyMark, "it", append(sealed, 0)); !errors.Is(err, ErrArgument) {
		t.Error("a byte more:", err)
	}
}

// TestSkew: processes with libraries of two series do not try to speak with each other.
func TestSkew(t *testing.T) {
	data := []byte("an address")
	for theirs, want := range map[string]error{"1.13.1": nil, "1.13.0": nil, "1.14.1": ErrVersion, "2.13.1": ErrVersion, "": ErrVersion} {
		back, err := sameVersion("the address of node 2", "1.13.1", withVersion(theirs, data))
		if !errors.Is(err, want) || err == nil && !bytes.Equal(back, data) || err != nil && !strings.Contains(err.Error(), "node 2") {
			t.Errorf("%q: %q, %v", theirs, back, err)
		}
	}
	for _, short := range [][]byte{nil, {0}, {200, 1}, {1, 1}} {
		if _, err := sameVersion("it", "1.13.1", short); !errors.Is(err, ErrArgument) {
			t.Errorf("%v: %v", short, err)
		}
	}
}

// TestDamaged: what comes damaged from others does not reach the library.
func TestDamaged(t *testing.T) {
	a, b := pair(t, overTCP(), true)
	if _, err := a.w.Connect("a stranger", b.w.Address()[:40]); !errors.Is(err, ErrArgument) || !strings.Contains(err.Error(), "a stranger") {
		t.Error(err)
	}
	for _, key := range [][]byte{nil, b.w.Address(), seal(keyMark, make([]byte, 16))} {
		if _, err := a.peer.Map(key, 0); !errors.Is(err, ErrArgument) {
			t.Error(err)
		}
	}
}

// TestSettings: what cannot be is an error with the settings in it.
func TestSettings(t *testing.T) {
	need(t)
	_, err := Open(Config{Transports: "tcp", Devices: "nosuch0"})
	if !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "nosuch0") || !strings.Contains(err.Error(), "has to be up") {
		t.Error(err)
	}
	t.Setenv("UCX_TLS", "posix,self")
	c := Config{Transports: "tcp"}
	if !c.together() || !strings.Contains(c.text(), "UCX_TLS=posix,self") {
		t.Errorf("the user's setting does not win: %s", c.text())
	}
}
