package rtc

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/goshmem/goshmem/internal/env"
)

// maxCache is how many bytes the cache keeps before it removes the oldest entries.
const maxCache = 256 << 20

// suffix ends the names of entries; nothing else in the folder is ever removed.
const suffix = ".kernel"

// cache is a folder of compiled code, which any number of processes use at once: an
// entry appears whole, by a rename, and begins with the checksum of the rest. "": off.
// It never fails: what cannot be read is compiled, what cannot be written is not kept.
type cache struct {
	folder string
	limit  int64
}

// openCache gives the cache of this user, or one that is off.
func openCache() cache {
	folder := os.Getenv(env.Cache)
	if folder == "" {
		base, err := os.UserCacheDir()
		if err != nil {
			return cache{}
		}
		folder = filepath.Join(base, "goshmem", "kernels")
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return cache{}
	}
	return cache{folder, maxCache}
}

// key names what src becomes. Each part has its length before it, so that no two
// different sources look the same.
func (c *compiler) key(src Source, to goal) string {
	h := sha256.New()
	part := func(texts ...string) {
		fmt.Fprintf(h, "%d\n", len(texts))
		for _, text := range texts {
			fmt.Fprintf(h, "%d %s", len(text), text)
		}
	}
	part(c.version(), c.library.Path(), src.Driver, src.Arch, to.option, to.code, src.Name, src.Text)
	part(src.Options...)
	for _, name := range slices.Sorted(maps.Keys(src.Headers)) {
		part(name, src.Headers[name])
	}
	return hex.EncodeToString(h.Sum(nil))
}

func (c cache) path(key string) string { return filepath.Join(c.folder, key+suffix) }

// load gives the entry, if there is one that is whole.
func (c cache) load(key string) ([]byte, bool) {
	if c.folder == "" {
		return nil, false
	}
	data, err := os.ReadFile(c.path(key))
	if err != nil || len(data) <= sha256.Size {
		return nil, false
	}
	sum, image := data[:sha256.Size], data[sha256.Size:]
	if got := sha256.Sum256(image); !bytes.Equal(sum, got[:]) {
		return nil, false
	}
	now := time.Now()
	_ = os.Chtimes(c.path(key), now, now) // used ones stay; if that fails, it is compiled again one day
	return image, true
}

// save makes the entry.
func (c cache) save(key string, image []byte) {
	if c.folder == "" {
		return
	}
	f, err := os.CreateTemp(c.folder, "new-*"+suffix)
	if err != nil {
		return
	}
	sum := sha256.Sum256(image)
	_, err = f.Write(append(sum[:], image...))
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), c.path(key))
	}
	if err != nil {
		_ = os.Remove(f.Name()) // what stays is trimmed one day
		return
	}
	c.trim()
}

// trim removes the entries not used for longest, until the rest is within the limit.
func (c cache) trim() {
	type entry struct {
		path string
		size int64
		used time.Time
	}
	var list []entry
	var total int64
	paths, _ := filepath.Glob(filepath.Join(c.folder, "*"+suffix)) // the pattern is well-formed
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil { // another process may have removed it
			list = append(list, entry{path, info.Size(), info.ModTime()})
			total += info.Size()
		}
	}
	slices.SortFunc(list, func(a, b entry) int { return a.used.Compare(b.used) })
	for _, e := range list {
		if total <= c.limit {
			return
		}
		_ = os.Remove(e.path) // gone already, or not ours to remove
		total -= e.size
	}
}
