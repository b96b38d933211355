package rocshmem

import (
	"fmt"

	"github.com/goshmem/goshmem/internal/abi/rocshmem"
	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/engine"
)

// PutOn puts on a stream: by the library where it knows the memory, else by the driver.
func (m *memory) PutOn(s device.Handle, pe int, dst engine.Offset, src device.Ptr, n uintptr) error {
	to, err := m.at(pe, dst, n)
	if err != nil || n == 0 {
		return err
	}
	if err := m.local(pe, src, n); err != nil {
		return err
	}
	if !m.symmetric(uintptr(src), n) {
		return m.GPU.Copy(m.Dev, m.Peers[pe]+device.Ptr(dst), src, n, s)
	}
	return m.lib.do(func(l *rocshmem.Library) {
		l.PutmemOnStream(to, rocshmem.Local(src), uint64(n), rocshmem.PE(pe), rocshmem.Stream(s))
	})
}

// GetOn gets on a stream.
func (m *memory) GetOn(s device.Handle, pe int, dst device.Ptr, src engine.Offset, n uintptr) error {
	from, err := m.at(pe, src, n)
	if err != nil || n == 0 {
		return err
	}
	if err := m.local(pe, dst, n); err != nil {
		return err
	}
	if !m.symmetric(uintptr(dst), n) {
		return m.GPU.Copy(m.Dev, dst, m.Peers[pe]+device.Ptr(src), n, s)
	}
	return m.lib.do(func(l *rocshmem.Library) {
		l.GetmemOnStream(rocshmem.Local(dst), from, uint64(n), rocshmem.PE(pe), rocshmem.Stream(s))
	})
}

// PutSignalOn puts on a stream, and then changes a signal of the same PE.
func (m *memory) PutSignalOn(s device.Handle, pe int, dst engine.Offset, src device.Ptr, n uintptr, sig engine.Offset, op engine.AMO) error {
	to, err := m.at(pe, dst, n)
	if err != nil {
		return err
	}
	if n == 0 || !m.symmetric(uintptr(src), n) {
		if err := m.PutOn(s, pe, dst, src, n); err != nil {
			return err
		}
		return m.SignalOn(s, pe, sig, op)
	}
	word, what, err := m.signal(pe, sig, op)
	if err != nil {
		return err
	}
	return m.lib.do(func(l *rocshmem.Library) {
		l.PutmemSignalOnStream(to, rocshmem.Local(src), uint64(n), word, op.Value, what, rocshmem.PE(pe), rocshmem.Stream(s))
	})
}

// SignalOn changes a signal on a stream. Before release 3.8 it is a put with signal of no
// bytes.
func (m *memory) SignalOn(s device.Handle, pe int, sig engine.Offset, op engine.AMO) error {
	word, what, err := m.signal(pe, sig, op)
	if err != nil {
		return err
	}
	stream, target := rocshmem.Stream(s), rocshmem.PE(pe)
	return m.lib.do(func(l *rocshmem.Library) {
		switch {
		case what == rocshmem.SignalSet && l.Has(rocshmem.FnSignalSetOnStream):
			l.SignalSetOnStream(word, op.Value, target, stream)
		case what == rocshmem.SignalAdd && l.Has(rocshmem.FnSignalAddOnStream):
			l.SignalAddOnStream(word, op.Value, target, stream)
		default:
			l.PutmemSignalOnStream(word, rocshmem.Local(word), 0, word, op.Value, what, target, stream)
		}
	})
}

// signal is the word, and what the library calls the operation on it.
func (m *memory) signal(pe int, sig engine.Offset, op engine.AMO) (rocshmem.Symmetric, rocshmem.SignalOp, error) {
	word, err := m.wordAt(pe, sig, 8)
	switch {
	case err != nil:
		return 0, 0, err
	case op.Kind == engine.AMOSet && op.Width == 8:
		return word, rocshmem.SignalSet, nil
	case op.Kind == engine.AMOAdd && op.Width == 8 && !op.Float:
		return word, rocshmem.SignalAdd, nil
	}
	return 0, 0, fmt.Errorf("rocshmem: %w: a signal is set or added to, as a word of 8 bytes", device.ErrArgument)
}

// WaitOn has later work wait for the own word. The library compares without a sign: words
// and values below 2^63 are the same with one. Less than 0 is the sign itself, for which
// the driver can wait.
func (m *memory) WaitOn(s device.Handle, at engine.Offset, c engine.Compare, v uint64) error {
	word, err := m.wordAt(m.rank, at, 8)
	if err != nil {
		return err
	}
	if c > engine.CompareLE {
		return fmt.Errorf("rocshmem: %w: there is no comparison %d", device.ErrArgument, c)
	}
	if c > engine.CompareNE && v>>63 == 1 {
		return refused("streams compare numbers without a sign, and %d has one", int64(v))
	}
	if c == engine.CompareLT && v == 0 {
		return m.GPU.WaitValue(m.Dev, s, device.Ptr(word), 1<<63, device.CompareAnd)
	}
	return m.lib.do(func(l *rocshmem.Library) {
		l.SignalWaitUntilOnStream(word, rocshmem.Compare(c), v, rocshmem.Stream(s))
	})
}

// QuietOn completes what the stream has put.
func (m *memory) QuietOn(s device.Handle) error {
	return m.lib.do(func(l *rocshmem.Library) { l.QuietOnStream(rocshmem.Stream(s)) })
}
