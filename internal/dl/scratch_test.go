package dl

import (
	"fmt"
	"strings"
	"testing"
	"unsafe"
)

func TestScratchIsZeroedAlignedAndDisjoint(t *testing.T) {
	for range 2 { // the second time it is the memory that the first one wrote to
		s := Borrow()
		small, words, number := Out[byte](s), OutSlice[uint64](s, 3), In(s, int32(-7))
		if *small != 0 || words[0]|words[1]|words[2] != 0 || *number != -7 {
			t.Errorf("got %v, %v, %v, want zeros and -7", *small, words, *number)
		}
		last := Addr(small)
		for _, addr := range []uintptr{Addr(&words[0]), Addr(number)} {
			if addr%16 != 0 || addr < last+16 {
				t.Errorf("address %#x after %#x", addr, last)
			}
			last = addr
		}
		*small, words[0], words[2], *number = 1, 2, 3, 4
		s.Return()
	}
}

func TestBorrowersDoNotShare(t *testing.T) {
	a, b := Borrow(), Borrow()
	defer a.Return()
	defer b.Return()
	whole := OutSlice[byte](a, ScratchSize)
	from, other := Addr(&whole[0]), Addr(Out[byte](b))
	if other >= from && other < from+ScratchSize {
		t.Errorf("%#x is in both", other)
	}
}

func TestReturningTwicePanics(t *testing.T) {
	defer func() {
		if text := fmt.Sprint(recover()); !strings.Contains(text, "twice") {
			t.Errorf("panic %q", text)
		}
	}()
	s := Borrow()
	s.Return()
	s.Return()
}

func TestFullScratchPanics(t *testing.T) {
	for what, f := range map[string]func(s *Scratch){
		"at once":  func(s *Scratch) { OutSlice[byte](s, ScratchSize+1) },
		"in steps": func(s *Scratch) { OutSlice[byte](s, ScratchSize-15); Out[byte](s) },
		"overflow": func(s *Scratch) { OutSlice[uint64](s, -1) },
	} {
		s := Borrow()
		func() {
			defer s.Return()
			defer func() {
				if text := fmt.Sprint(recover()); !strings.Contains(text, "of 16384 are in use") {
					t.Errorf("%s: panic %q", what, text)
				}
			}()
			f(s)
		}()
	}
}

func TestTexts(t *testing.T) {
	s := Borrow()
	defer s.Return()
	addr, release := PinText("a long one")
	defer release()
	for _, c := range []struct {
		addr uintptr
		max  int
		want string
	}{{s.Text("kernel"), 100, "kernel"}, {s.Text(""), 100, ""}, {addr, 100, "a long one"}, {addr, 6, "a long"}, {0, 100, ""}} {
		if got := Text(c.addr, c.max); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

func TestPinnedBytesAreTheCallers(t *testing.T) {
	data := []byte{1, 2, 3}
	addr, release := Pin(data)
	defer release()
	Memory(addr, 3)[1] = 9
	if data[1] != 9 || addr != uintptr(unsafe.Pointer(&data[0])) {
		t.Errorf("%v at %#x", data, addr)
	}
	addr, release = Pin[byte](nil)
	if release(); addr != 0 {
		t.Errorf("no bytes have the address %#x", addr)
	}
}
