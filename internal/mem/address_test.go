package mem

import "testing"

func TestAddressAndBack(t *testing.T) {
	words := arena(32)
	addr := Address(words)
	again := At[uint32](addr+8, 2) // bytes 8 to 15
	again[1] = 7
	if Address(again) != addr+8 || words[12] != 7 {
		t.Errorf("two words at %#x are at %#x; byte 12 is %d, want 7", addr+8, Address(again), words[12])
	}
}
