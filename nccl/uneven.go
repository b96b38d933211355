package nccl

import (
	"bytes"
	"encoding/binary"
)

// What a rank of an all-to-all-v gives to each other one, and expects of it, follows what
// describes its call, behind a zero byte. Zeros at the end may be missing.

const pairBytes = 16 // of what is given and what is expected

// countsRoom is how long it can be.
func countsRoom(ranks int) int { return 1 + ranks*pairBytes }

func appendCounts(text []byte, c *Counts) []byte {
	if c == nil {
		return text
	}
	text = append(text, 0)
	for peer := range c.Send {
		text = binary.LittleEndian.AppendUint64(text, uint64(c.Send[peer]))
		text = binary.LittleEndian.AppendUint64(text, uint64(c.Recv[peer]))
	}
	return text
}

// words is the description alone.
func words(text []byte) string {
	call, _, _ := bytes.Cut(text, []byte{0})
	return string(call)
}

// uneven names two ranks of an all-to-all-v, one of which expects another number of
// elements than the other one gives.
func uneven(texts [][]byte) error {
	tables := make([][]byte, len(texts))
	for rank, text := range texts {
		_, given, _ := bytes.Cut(text, []byte{0})
		tables[rank] = make([]byte, len(texts)*pairBytes)
		copy(tables[rank], given)
	}
	for from := range texts {
		for to := range texts {
			given := binary.LittleEndian.Uint64(tables[from][to*pairBytes:])
			wanted := binary.LittleEndian.Uint64(tables[to][from*pairBytes+8:])
			if given != wanted {
				return problem(ErrMismatch, "nothing was started, because rank %d gives rank %d %d elements, which expects %d: %s, and %s", from, to, given, wanted, words(texts[from]), words(texts[to]))
			}
		}
	}
	return nil
}
