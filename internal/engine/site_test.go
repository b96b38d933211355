package engine_test

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/goshmem/goshmem/internal/engine"
)

// nextLine is the line after the caller's, as Site writes it.
func nextLine() string {
	_, file, line, _ := runtime.Caller(1)
	return fmt.Sprintf("%s:%d", filepath.Base(file), line+1)
}

// generic is a program's function with a type parameter.
func generic[T any](T) string { return engine.Site() }

// TestSite: the line is the program's, however the library is reached from it.
func TestSite(t *testing.T) {
	want := nextLine()
	if got := engine.Site(); got != want {
		t.Errorf("called directly: %q, want %q", got, want)
	}
	var got string
	want = nextLine()
	call := func() { got = engine.Site() }
	call()
	if got != want {
		t.Errorf("from a closure: %q, want %q", got, want)
	}
	var wg sync.WaitGroup
	want = nextLine()
	wg.Go(func() { got = engine.Site() })
	wg.Wait()
	if got != want {
		t.Errorf("from a goroutine: %q, want %q", got, want)
	}
	if got := generic(3); !strings.HasPrefix(got, "site_test.go:") {
		t.Errorf("from a generic function: %q", got)
	}
	func() {
		defer func() { got = engine.Site() }()
	}()
	if got == "" || got == want {
		t.Errorf("from a deferred function: %q", got)
	}
	deep(40, func() {
		want = nextLine()
		got = engine.Site()
	})
	if got != want {
		t.Errorf("from deep inside: %q, want %q", got, want)
	}
}

// TestSites: what is remembered is the line of each call, from many goroutines at once.
func TestSites(t *testing.T) {
	var sites engine.Sites
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for n := range 3000 {
				want := nextLine()
				got := sites.Here()
				if got != want {
					t.Errorf("round %d: %q, want %q", n, got, want)
					return
				}
				want = nextLine()
				deep(n%40, func() { got = sites.Here() })
				if got != want {
					t.Errorf("from %d calls down: %q, want %q", n%40, got, want)
					return
				}
			}
		})
	}
	wg.Wait()
}

// deep calls f from n calls down.
func deep(n int, f func()) {
	if n == 0 {
		f()
		return
	}
	deep(n-1, f)
}
