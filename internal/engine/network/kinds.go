//go:build race

package network

import (
	"unsafe"

	"github.com/goshmem/goshmem/internal/engine"
)

// kinds are what atomics each word has seen.
type kinds struct{}

func (k *kinds) compare(p unsafe.Pointer, op engine.AMO) {}
