// Package rtc compiles kernels at run time with the vendors' compilers, NVRTC and
// hipRTC, and keeps what they made in a cache on disk.
package rtc

import (
	"fmt"
	"sync"

	"github.com/goshmem/goshmem/internal/abi"
	"github.com/goshmem/goshmem/internal/dl"
)

// Kind is which compiler.
type Kind int

// The compilers that there are.
const (
	NVRTC  Kind = iota // NVIDIA's
	HIPRTC             // AMD's
)

// String is what messages call it.
func (k Kind) String() string {
	if k == NVRTC {
		return "nvrtc"
	}
	return "hiprtc"
}

// Source is what to compile, and for what.
type Source struct {
	Name    string            // stands in the compiler's messages
	Text    string            // CUDA or HIP C++
	Headers map[string]string // files that it includes, by name
	Options []string          // for the compiler, besides the architecture
	Arch    string            // what the code is to run on: "sm_90", "gfx942"
	Driver  string            // version of the driver; with another the code is compiled anew
}

// compiler is an opened library.
type compiler struct {
	kind    Kind
	library *dl.Library
	major   int
	minor   int
}

// turn lets one compilation go at a time: old versions of hipRTC have global state.
var turn sync.Mutex

// Compile gives machine code for src.Arch: a cubin, or PTX where the architecture is
// newer than the compiler, or an AMD code object; and what the compiler had to say, which
// is "" if the code came from the cache. It takes up to some seconds and may be called by
// any goroutine. Errors: dl's if the library is not there; [ErrArch] for an architecture
// that the compiler does not know; *[Error] if the source does not compile.
func Compile(kind Kind, src Source) (image []byte, log string, err error) {
	turn.Lock()
	defer turn.Unlock()
	c, err := open(kind, src.Driver)
	if err != nil {
		return nil, "", err
	}
	goal, err := c.goal(src.Arch)
	if err != nil {
		return nil, "", err
	}
	store := openCache()
	key := c.key(src, goal)
	if image, ok := store.load(key); ok {
		return image, "", nil
	}
	image, log, err = c.compile(src, goal)
	if err == nil {
		store.save(key, image)
	}
	return image, log, err
}

// open loads the compiler of that kind, and finds out its version.
func open(kind Kind, driver string) (*compiler, error) {
	spec := abi.NVRTC()
	if kind == HIPRTC {
		spec = abi.HIPRTC()
	}
	library, _, err := dl.Open(spec)
	if err != nil {
		return nil, err
	}
	c := &compiler{kind: kind, library: library}
	s := dl.Borrow()
	defer s.Return()
	major, minor := dl.Out[int32](s), dl.Out[int32](s)
	if err := c.call("Version", dl.Addr(major), dl.Addr(minor)); err != nil {
		return nil, err
	}
	c.major, c.minor = int(*major), int(*minor)
	if kind == HIPRTC {
		c.major, c.minor = versionOfAMD(library.Path(), driver)
	}
	return c, nil
}

// version is how messages and the cache's keys call the compiler.
func (c *compiler) version() string { return fmt.Sprintf("%s %d.%d", c.kind, c.major, c.minor) }
