package doctor

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"testing"
)

// circle is a store of goroutines: the root's data goes to everybody.
type circle struct {
	mu    sync.Mutex
	turn  *sync.Cond
	size  int
	here  int
	round int
	bytes int
	data  []byte
}

type seat struct {
	*circle
	rank int
}

func newCircle(size int) *circle {
	c := &circle{size: size}
	c.turn = sync.NewCond(&c.mu)
	return c
}

// Broadcast meets twice: when the root has given, and when all have taken.
func (s seat) Broadcast(_ context.Context, buf []byte, root int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rank == root {
		s.data = append([]byte(nil), buf...)
		s.bytes += len(buf)
	}
	s.meet()
	if len(s.data) != len(buf) {
		return fmt.Errorf("rank %d gives %d bytes, rank %d takes %d", root, len(s.data), s.rank, len(buf))
	}
	copy(buf, s.data)
	s.meet()
	return nil
}

func (c *circle) meet() {
	round := c.round
	if c.here++; c.here == c.size {
		c.here, c.round = 0, round+1
		c.turn.Broadcast()
	}
	for c.round == round {
		c.turn.Wait()
	}
}

// TestGather: rank 0 gets everybody's answer, and what is the same hardly travels.
func TestGather(t *testing.T) {
	const size = 5
	answer := func(rank int) Answer {
		facts := map[string]string{"rank": fmt.Sprint(rank)}
		noise := rand.New(rand.NewPCG(1, 2))
		for i := range 300 {
			facts[fmt.Sprint("fact ", i)] = fmt.Sprint(noise.Uint64())
		}
		return Answer{Rank: rank, Host: "a", Facts: facts, Findings: []Finding{find("shm.small").finding(see("%d", rank))}}
	}
	c, results := newCircle(size), make([][]Answer, size)
	var wg sync.WaitGroup
	for rank := range size {
		wg.Go(func() {
			all, err := Gather(t.Context(), seat{c, rank}, size, answer(rank))
			if err != nil {
				t.Errorf("rank %d: %v", rank, err)
			}
			results[rank] = all
		})
	}
	wg.Wait()
	for rank, a := range results[0] {
		if !reflect.DeepEqual(a, answer(rank)) {
			t.Errorf("rank %d said %v", rank, a)
		}
	}
	if len(results[0]) != size || results[1] != nil {
		t.Errorf("rank 0 got %d answers, rank 1 %d", len(results[0]), len(results[1]))
	}
	if text := 300 * len("\"fact 100\":\"12345678901234567890\","); c.bytes > text*3/2 {
		t.Errorf("%d bytes travelled for about %d that are the same in all", c.bytes, text)
	}
}

// liar is a store in which the others say what they like.
type liar func(buf []byte, call int) error

func (l liar) Broadcast(_ context.Context, buf []byte, root int) error { return l(buf, root) }

func TestGatherDistrusts(t *testing.T) {
	length := func(n uint64) liar {
		return func(buf []byte, root int) error {
			if root == 1 && len(buf) == 8 {
				binary.BigEndian.PutUint64(buf, n)
			}
			return nil
		}
	}
	for want, s := range map[string]liar{
		"at most 16777216":  length(1 << 40),
		"answer of rank 1:": length(3),
		"they left":         func([]byte, int) error { return errors.New("they left") },
	} {
		if _, err := Gather(t.Context(), s, 2, Answer{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
