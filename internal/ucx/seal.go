package ucx

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

// What UCX gives to be sent to others, addresses and keys, is read by the library there,
// which trusts it and crashes over what is damaged. So it goes with a seal.
const (
	addressMark = "GUA2"
	keyMark     = "GUK1"
	sealSize    = 12
	sealedMost  = 8 << 10 // bytes: a call of C has room for them
)

// seal copies data, with its mark, length and sum before it.
func seal(mark string, data []byte) []byte {
	out := make([]byte, 0, sealSize+len(data))
	out = append(out, mark...)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(data)))
	out = binary.LittleEndian.AppendUint32(out, crc32.ChecksumIEEE(data))
	return append(out, data...)
}

// unseal gives back what seal was given.
func unseal(mark, what string, sealed []byte) ([]byte, error) {
	if len(sealed) < sealSize || len(sealed) > sealedMost || !bytes.HasPrefix(sealed, []byte(mark)) {
		return nil, fmt.Errorf("ucx: %w: %s of %d bytes is none that this version of goshmem made", ErrArgument, what, len(sealed))
	}
	head, data := sealed[len(mark):sealSize], sealed[sealSize:]
	if n := binary.LittleEndian.Uint32(head); int(n) != len(data) || n == 0 {
		return nil, fmt.Errorf("ucx: %w: %s has %d bytes where it says %d", ErrArgument, what, len(data), n)
	}
	if binary.LittleEndian.Uint32(head[4:]) != crc32.ChecksumIEEE(data) {
		return nil, fmt.Errorf("ucx: %w: %s was damaged on its way", ErrArgument, what)
	}
	return data, nil
}
