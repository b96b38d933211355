package raw

import "github.com/goshmem/goshmem/shmem"

// contextOptions are the bits of C as promises.
func contextOptions(options int) shmem.ContextOptions {
	return shmem.ContextOptions{Serialized: options&CtxSerialized != 0, NoStore: options&CtxNostore != 0}
}
