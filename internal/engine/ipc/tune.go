package ipc

import "github.com/goshmem/goshmem/internal/device"

// What depends on measurements stands here. The figures are for two H200 and their links.
const (
	// kernelPut is up to how many bytes a put on a stream is a kernel; a copy of the
	// device otherwise.
	kernelPut = 0
	// valuesUpTo is the largest team that meets by values that its streams write and wait
	// for, of which each pair takes two. Larger ones meet in a kernel.
	valuesUpTo = 2
	// perBlock are the bytes of a member that keep a block busy which reads them from the
	// other's memory. Of what is staged a fixed number of blocks shares a member's part.
	perBlock    = 64 << 10
	stageBlocks = 4
	// stagedUpTo is how many bytes pass through stages, which saves a meeting and costs a
	// copy.
	stagedUpTo = 64 << 10
)

// blocksFor is how many blocks a kernel has at most that meets others.
func blocksFor(d device.Driver) uintptr {
	if d.HostReach() || d.Name() == "host" { // they are goroutines, of which few run at a time
		return 2
	}
	return 64
}

// stageFor is the memory of each team for staged data: on a device there is much.
func stageFor(d device.Driver) uintptr {
	if d.Name() == "host" {
		return 16 << 10
	}
	return 256 << 10
}

// threadsFor is how many threads a block has for so many bytes.
func threadsFor(bytes uintptr) uint32 {
	switch {
	case bytes <= 1<<10:
		return 128
	case bytes <= 8<<10:
		return 256
	}
	return 512
}

// stageShape is how many blocks stage so many bytes, and how many bytes each has. That does
// not depend on how many there are in all: a place in the stage belongs to one block, which
// alone knows whether others have read what is there.
func stageShape(bytes, part, most uintptr) (blocks uint32, chunk uintptr) {
	n := min(most, stageBlocks)
	chunk = ((part+n-1)/n + 15) &^ 15
	return uint32((bytes + chunk - 1) / chunk), chunk
}

// shape is how many blocks share out the bytes of a member, at most most, and how many
// bytes each has.
func shape(bytes, each, most uintptr) (blocks uint32, chunk uintptr) {
	n := min((bytes+each-1)/each, most)
	chunk = (bytes + n - 1) / n
	chunk = (chunk + 15) &^ 15 // as wide as a thread loads
	return uint32((bytes + chunk - 1) / chunk), chunk
}
