package perf

import (
	"fmt"
	"time"

	"github.com/goshmem/goshmem/gpu"
)

// mark is in all bytes that are copied.
const mark = 0x5a

// span runs what queues work, and returns the device's time from its begin to its end.
func (g *board) span(queue func() error) (time.Duration, error) {
	if err := g.first.Record(g.stream); err != nil {
		return 0, err
	}
	if err := queue(); err != nil {
		return 0, err
	}
	if err := g.last.Record(g.stream); err != nil {
		return 0, err
	}
	if err := g.stream.Synchronize(g.ctx); err != nil {
		return 0, err
	}
	return g.last.Since(g.first)
}

// copies is a side that copies so many bytes, and looks whether the last one arrived.
func (g *board) copies(whole, source gpu.Buffer, size int) side {
	return func(n int) (time.Duration, error) {
		dst, src, err := parts(whole, source, size)
		if err == nil {
			err = dst.Set(size-1, 0)
		}
		if err != nil {
			return 0, err
		}
		spent, err := g.span(func() error {
			for range n {
				if err := dst.CopyAsync(src, g.stream); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return 0, err
		}
		last, err := dst.At(size - 1)
		return spent, arrived(last, err)
	}
}

// parts are the first bytes of two buffers.
func parts(a, b gpu.Buffer, size int) (x, y gpu.Buffer, err error) {
	if x, err = a.Slice(0, size); err != nil {
		return x, y, err
	}
	y, err = b.Slice(0, size)
	return x, y, err
}

// arrived says whether a byte that was copied is right.
func arrived(b byte, err error) error {
	if err == nil && b != mark {
		err = fmt.Errorf("what was copied has not arrived: the last byte is %#x, want %#x", b, mark)
	}
	return err
}

// blocking is a side that copies between Go memory and a buffer.
func (g *board) blocking(whole gpu.Buffer, in bool, size int) side {
	return func(n int) (time.Duration, error) {
		b, err := whole.Slice(0, size)
		if err != nil {
			return 0, err
		}
		move, local := b.CopyFrom, g.plain[:size]
		if !in {
			move, local[size-1] = b.CopyTo, 0
		}
		start := time.Now()
		for range n {
			if err := move(local, g.stream); err != nil {
				return 0, err
			}
		}
		return time.Since(start), arrived(local[size-1], nil)
	}
}

// volley has two streams answer each other, n times.
func (g *board) volley(n int) (time.Duration, error) {
	spent, err := g.span(func() error {
		for range n {
			g.rounds++
			if err := g.round(g.rounds); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	got, err := g.words.At(1)
	if err == nil && got != g.rounds {
		err = fmt.Errorf("round %d of two streams: the answer is %d", g.rounds, got)
	}
	return spent, err
}

// round queues one: a write that the other stream waits for, and its answer.
func (g *board) round(v uint64) error {
	if err := g.stream.WriteValue(g.words, 0, v); err != nil {
		return err
	}
	if err := g.other.WaitValue(g.words, 0, gpu.CompareGE, v); err != nil {
		return err
	}
	if err := g.other.WriteValue(g.words, 1, v); err != nil {
		return err
	}
	return g.stream.WaitValue(g.words, 1, gpu.CompareGE, v)
}
