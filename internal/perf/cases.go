package perf

import "fmt"

// What is wanted of the ratio to a peer in C.
const (
	smallWanted  = 0.6  // operations that we need no call for
	blocksWanted = 1.05 // both copy at the speed of the memory
	meetWanted   = 1.0  // two PEs, each with a core
	crowdWanted  = 0.6  // more PEs than cores
)

// many is how many small operations go between two calls of quiet.
const many = 1000

// subject is a row of a comparison before it is measured.
type subject struct {
	Case
	order  Order
	what   string // besides operation, size and buffers
	wanted float64
}

// name is that of the row.
func (s subject) name() string {
	name := s.Op
	if s.Op == OpPut || s.Op == OpGet {
		name += " " + bytesOf(s.Size)
	}
	if s.what != "" {
		name += ", " + s.what
	}
	if s.Op == OpPut || s.Op == OpGet {
		return name + ", " + s.Buffers
	}
	if collectiveAct(s.Op) >= 0 {
		name += " " + bytesOf(s.Size) + ", " + s.Buffers
	}
	return fmt.Sprintf("%s, %d PEs", name, s.PEs)
}

// bytesOf writes a size as people do.
func bytesOf(n int) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<10:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d B", n)
}

// cases are the rows of a world.
func cases(pes int, quick bool) []subject {
	meet := []subject{word(OpBarrier, pes, 1, meetWanted), word(OpSync, pes, 1, meetWanted)}
	if pes > 2 {
		meet[0].wanted, meet[1].wanted = crowdWanted, 0
		return meet
	}
	list := []subject{
		block(OpPut, 8, 8, many, smallWanted, ""),
		block(OpPut, 8, 8, 1, 0, "quiet after each"),
		word(OpP, pes, many, smallWanted),
		block(OpGet, 8, 8, many, smallWanted, ""),
		word(OpG, pes, many, smallWanted),
		word(OpFetchAdd, pes, many, smallWanted),
		word(OpCompareSwap, pes, many, smallWanted),
		word(OpAdd, pes, many, smallWanted),
		word(OpSeen, pes, 1, 0),
		word(OpPingPong, pes, 1, meetWanted),
	}
	list = append(list, meet...)
	for _, op := range []string{OpPut, OpGet} {
		list = append(list, blocks(op, quick)...)
	}
	return list
}

// word is an operation on 8 bytes at one place.
func word(op string, pes, every int, wanted float64) subject {
	s := block(op, wordBytes, wordBytes, every, wanted, "")
	s.PEs, s.Buffers = pes, ""
	return s
}

// block is a put or get.
func block(op string, size, area, every int, wanted float64, what string) subject {
	buffers := Hot
	if area > size {
		buffers = Rotating
	}
	return subject{Case{Op: op, Size: size, PEs: 2, Buffers: buffers}, Order{Op: op, Size: size, Area: area, Every: every}, what, wanted}
}

// The sizes of blocks: hot in steps of 2, rotating in steps of 4.
const (
	leastBlock = 64
	mostBlock  = 16 << 20
)

func blocks(op string, quick bool) []subject {
	var hot, rotating []subject
	for i := 0; leastBlock<<i <= mostBlock; i++ {
		size := leastBlock << i
		if quick && i%6 != 0 {
			continue
		}
		hot = append(hot, block(op, size, size, window(size), blocksWanted, ""))
		if i%2 == 0 {
			rotating = append(rotating, block(op, size, MostBytes, window(size), blocksWanted, ""))
		}
	}
	return append(hot, rotating...)
}

// collectiveCases are the rows of a world in a comparison of collectives.
func collectiveCases(pes int, quick bool) []subject {
	wanted := 1.0 // of nine rows in ten
	if pes > 2 {
		wanted = 0
	}
	var list []subject
	for _, op := range collectives() {
		for _, buffers := range []string{Heap, Private} {
			for _, size := range vectorSizes(leastVector(op, pes), quick) {
				s := subject{Case{Op: op, Size: size, PEs: pes, Buffers: buffers}, Order{Op: op, Size: size, Area: size, Every: 1}, "", wanted}
				if buffers == Private {
					s.order.Op += Copied
				}
				list = append(list, s)
			}
		}
	}
	return list
}

// libraryCases are the rows of a comparison of package nccl on its host library.
func libraryCases(pes int, quick bool) []subject {
	var list []subject
	for _, op := range collectives() {
		for _, s := range []subject{{Case{Op: op, Buffers: Device}, Order{Op: op + OnDevice}, "", 1}, {Case{Op: op, Buffers: Slices}, Order{Op: op + InSlices}, "", 0}} {
			for size := leastMessage; size <= MostBytes; size *= 4 {
				if quick && size != leastMessage && size != quickMessage {
					continue
				}
				s.PEs, s.Size = pes, size
				s.order.Size, s.order.Area, s.order.Every = size, size, 1
				list = append(list, s)
			}
		}
	}
	return list
}

// The smallest message that is compared for package nccl, and the other one when quick.
const (
	leastMessage = 1 << 10
	quickMessage = 256 << 10
)

// vectorSizes go up in steps of 8, the last of 4.
func vectorSizes(least int, quick bool) []int {
	if quick {
		return []int{least, 4 << 10, 256 << 10}
	}
	sizes := []int{least}
	for size := 64; size < MostBytes; size *= 8 {
		sizes = append(sizes, size)
	}
	return append(sizes, MostBytes)
}

// window is how many blocks go between two calls of quiet.
func window(size int) int {
	switch {
	case size < 64<<10:
		return 64
	case size < 1<<20:
		return 8
	}
	return 2
}
