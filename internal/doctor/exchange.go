package doctor

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
)

// Store is what the processes of a job need to tell each other: all make the same
// calls in the same order, and each waits for all.
type Store interface {
	Broadcast(ctx context.Context, buf []byte, root int) error
}

const (
	chunk     = 32 << 10
	maxAnswer = 16 << 20 // no machine has as much to say
)

// Gather gives rank 0 the answers of all processes, by rank; the others get none.
// It waits for all. What rank 0 says goes first, and the others send what is
// different in theirs: nearly everything is the same, and every message of a store
// reaches everybody.
func Gather(ctx context.Context, s Store, size int, mine Answer) ([]Answer, error) {
	text, err := json.Marshal(mine)
	if err != nil {
		return nil, fmt.Errorf("write the answer of rank %d: %w", mine.Rank, err)
	}
	first, err := share(ctx, s, 0, mine.Rank, text)
	if err != nil {
		return nil, err
	}
	var all []Answer
	for rank := range size {
		if rank == 0 {
			all = append(all, mine)
			continue
		}
		packed, err := share(ctx, s, rank, mine.Rank, pack(text, first))
		if err != nil {
			return nil, err
		}
		if mine.Rank == 0 {
			a, err := unpack(packed, first)
			if err != nil {
				return nil, fmt.Errorf("answer of rank %d: %w", rank, err)
			}
			all = append(all, a)
		}
	}
	if mine.Rank != 0 {
		return nil, nil
	}
	return all, nil
}

// share gives everybody what root has.
func share(ctx context.Context, s Store, root, me int, data []byte) ([]byte, error) {
	var length [8]byte
	binary.BigEndian.PutUint64(length[:], uint64(len(data)))
	if err := s.Broadcast(ctx, length[:], root); err != nil {
		return nil, err
	}
	n := binary.BigEndian.Uint64(length[:])
	if n > maxAnswer {
		return nil, fmt.Errorf("rank %d says it has %d bytes to tell: at most %d", root, n, maxAnswer)
	}
	if me != root {
		data = make([]byte, n)
	}
	for rest := data; len(rest) > 0; rest = rest[min(chunk, len(rest)):] {
		if err := s.Broadcast(ctx, rest[:min(chunk, len(rest))], root); err != nil {
			return nil, err
		}
	}
	return data, nil
}

// pack writes text as a difference to another one.
func pack(text, known []byte) []byte {
	var b bytes.Buffer
	w, err := flate.NewWriterDict(&b, flate.DefaultCompression, known)
	if err == nil {
		_, err = w.Write(text)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic(err) // memory takes everything, and the level is valid
	}
	return b.Bytes()
}

func unpack(packed, known []byte) (a Answer, err error) {
	text, err := io.ReadAll(io.LimitReader(flate.NewReaderDict(bytes.NewReader(packed), known), maxAnswer))
	if err != nil {
		return a, err
	}
	return a, json.Unmarshal(text, &a)
}
