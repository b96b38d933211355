package triton

import (
	"encoding/binary"
	"errors"
)

// errPacked is the error of bytes that are no MessagePack, or of a kind that notes about
// kernels do not have.
var errPacked = errors.New("not MessagePack as compilers write it")

// deepest is more than notes are nested.
const deepest = 16

// unpack reads one value of MessagePack, as far as descriptions of kernels use it: maps with
// text as keys, lists, text, numbers without fractions, truth values. It returns what follows.
func unpack(b []byte, depth int) (any, []byte, error) {
	if len(b) == 0 || depth > deepest {
		return nil, nil, errPacked
	}
	tag, rest := b[0], b[1:]
	switch {
	case tag < 0x80:
		return int(tag), rest, nil
	case tag < 0x90:
		return unpackMap(rest, int(tag&0xf), depth)
	case tag < 0xa0:
		return unpackList(rest, int(tag&0xf), depth)
	case tag < 0xc0:
		return unpackText(rest, int(tag&0x1f))
	case tag >= 0xe0:
		return int(int8(tag)), rest, nil
	case tag == 0xc0:
		return nil, rest, nil
	case tag == 0xc2, tag == 0xc3:
		return tag == 0xc3, rest, nil
	}
	return unpackSized(tag, rest, depth)
}

// unpackSized reads what has a number in front.
func unpackSized(tag byte, b []byte, depth int) (any, []byte, error) {
	width := map[byte]int{0xcc: 1, 0xcd: 2, 0xce: 4, 0xcf: 8, 0xd9: 1, 0xda: 2, 0xdb: 4, 0xdc: 2, 0xdd: 4, 0xde: 2, 0xdf: 4}[tag]
	if width == 0 || len(b) < width {
		return nil, nil, errPacked
	}
	var word [8]byte
	copy(word[8-width:], b[:width])
	n, rest := int(binary.BigEndian.Uint64(word[:])), b[width:]
	switch {
	case tag <= 0xcf:
		return n, rest, nil
	case tag <= 0xdb:
		return unpackText(rest, n)
	case tag <= 0xdd:
		return unpackList(rest, n, depth)
	}
	return unpackMap(rest, n, depth)
}

func unpackText(b []byte, n int) (any, []byte, error) {
	if n < 0 || n > len(b) {
		return nil, nil, errPacked
	}
	return string(b[:n]), b[n:], nil
}

func unpackList(b []byte, n, depth int) (any, []byte, error) {
	if n < 0 || n > len(b) { // each has a byte at least
		return nil, nil, errPacked
	}
	list := make([]any, n)
	var err error
	for i := range list {
		if list[i], b, err = unpack(b, depth+1); err != nil {
			return nil, nil, err
		}
	}
	return list, b, nil
}

func unpackMap(b []byte, n, depth int) (any, []byte, error) {
	m := map[string]any{}
	for range n {
		key, rest, err := unpack(b, depth+1)
		name, ok := key.(string)
		if err != nil || !ok {
			return nil, nil, errPacked
		}
		if m[name], b, err = unpack(rest, depth+1); err != nil {
			return nil, nil, err
		}
	}
	return m, b, nil
}
