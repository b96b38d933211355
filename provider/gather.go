package provider

import (
	"bytes"
	"context"
	"encoding/binary"
	"strings"
)

// trouble is how many bytes of a reason others are told.
const trouble = 240

// gather is what all ranks say, in plain numbers and arrays of them.
func gather[T any](ctx context.Context, x Exchange, me, ranks int, mine T) ([]T, error) {
	all := make([]T, ranks)
	for r := range all {
		buf := make([]byte, binary.Size(mine))
		if r == me {
			if _, err := binary.Encode(buf, binary.LittleEndian, mine); err != nil {
				return nil, err
			}
		}
		if err := x.Broadcast(ctx, buf, r); err != nil {
			return nil, err
		}
		if err := binary.Read(bytes.NewReader(buf), binary.LittleEndian, &all[r]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// agree returns the own error, or that another rank has one.
func agree(ctx context.Context, x Exchange, me, ranks int, err error) error {
	var mine [trouble]byte
	if err != nil {
		put(mine[:], err.Error())
	}
	all, met := gather(ctx, x, me, ranks, mine)
	switch {
	case met == nil && err != nil:
		return err
	case err != nil:
		return joined(err, met)
	case met != nil:
		return met
	}
	for r := range all {
		if text := get(all[r][:]); text != "" {
			return problem(ErrElsewhere, "rank %d: %s", r, text)
		}
	}
	return nil
}

// put writes as much of a text as there is room for, and get reads it.
func put(to []byte, text string) { copy(to, strings.ToValidUTF8(text[:min(len(text), len(to))], "")) }

func get(from []byte) string { return string(bytes.TrimRight(from, "\x00")) }
