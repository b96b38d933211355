package rtc

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/goshmem/goshmem/internal/env"
)

func TestCacheKeepsTheLatest(t *testing.T) {
	c := cache{t.TempDir(), 1000}
	for i := range 4 {
		c.save(strconv.Itoa(i), make([]byte, 200))
		old := time.Now().Add(time.Duration(i-10) * time.Hour)
		if err := os.Chtimes(c.path(strconv.Itoa(i)), old, old); err != nil {
			t.Fatal(err)
		}
	}
	if _, ok := c.load("0"); !ok { // now it is the one used last
		t.Fatal("the first is gone too early")
	}
	c.save("4", make([]byte, 200))
	for key, want := range map[string]bool{"0": true, "1": false, "2": true, "3": true, "4": true} {
		if _, ok := c.load(key); ok != want {
			t.Errorf("entry %s: %v", key, ok)
		}
	}
}

func TestCacheChecks(t *testing.T) {
	c := cache{t.TempDir(), maxCache}
	c.save("k", []byte("code"))
	data, err := os.ReadFile(c.path("k"))
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)-1] ^= 1
	if err := os.WriteFile(c.path("k"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	if image, ok := c.load("k"); ok {
		t.Errorf("damaged, and yet %q", image)
	}
}

// TestCacheOff: a folder that cannot be is no error.
func TestCacheOff(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv(env.Cache, filepath.Join(file, "below"))
	c := openCache()
	c.save("k", []byte("code"))
	if image, ok := c.load("k"); ok {
		t.Errorf("kept %q nowhere", image)
	}
}

func TestCacheOfMany(t *testing.T) {
	c := cache{t.TempDir(), maxCache}
	image := bytes.Repeat([]byte("code"), 10000)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				c.save("k", image)
				if got, ok := c.load("k"); !ok || !bytes.Equal(got, image) {
					t.Error("an entry was seen half-written")
				}
			}
		})
	}
	wg.Wait()
}
