package launch

import (
	"context"
	"errors"
	"fmt"
	"testing"
)

// TestWorldsInSequence: a process makes one world after the other; the ranks
// need not be equally fast in leaving the last one.
func TestWorldsInSequence(t *testing.T) {
	for _, network := range kindsOfPlace() {
		t.Run(network, func(t *testing.T) {
			const size, worlds = 3, 20
			j := newJob(t, network, size)
			ctx := testContext(t)
			for r, err := range onRanks(size, func(r int) error { return sequence(ctx, j.at(r), worlds) }) {
				if err != nil {
					t.Errorf("rank %d: %v", r, err)
				}
			}
		})
	}
}

func sequence(ctx context.Context, j Job, worlds int) error {
	for i := range worlds {
		s, err := Join(ctx, j)
		if err != nil {
			return fmt.Errorf("world %d: %w", i, err)
		}
		buf := []byte{0}
		if j.Rank == 0 {
			buf[0] = byte(i)
		}
		if err := s.Broadcast(ctx, buf, 0); err != nil {
			return fmt.Errorf("world %d: %w", i, err)
		}
		if buf[0] != byte(i) {
			return fmt.Errorf("world %d got what world %d was told", i, buf[0])
		}
		if err := s.Close(); err != nil {
			return err
		}
	}
	return nil
}

// TestWorldsAtOnce: an older world stays open while the next ones are made.
func TestWorldsAtOnce(t *testing.T) {
	for _, network := range kindsOfPlace() {
		t.Run(network, func(t *testing.T) {
			j := newJob(t, network, 2)
			a, b := members(t, j, defaultLimits()), members(t, j, defaultLimits())
			ctx := testContext(t)
			for r, err := range onRanks(2, func(r int) error {
				return errors.Join(b[r].Barrier(ctx), a[r].Barrier(ctx), b[r].Barrier(ctx))
			}) {
				if err != nil {
					t.Errorf("rank %d: %v", r, err)
				}
			}
		})
	}
}

// TestGroups: parts of a job make worlds of their own, beside the whole.
func TestGroups(t *testing.T) {
	for _, network := range kindsOfPlace() {
		t.Run(network, func(t *testing.T) {
			const size = 6
			j := newJob(t, network, size)
			whole := members(t, j, defaultLimits())
			ctx := testContext(t)
			got := make([]byte, size)
			for r, err := range onRanks(size, func(r int) error {
				g, err := j.at(r).Group([]string{"even", "odd"}[r%2], r/2, size/2)
				if err != nil {
					return err
				}
				s, err := Join(ctx, g)
				if err != nil {
					return err
				}
				buf := []byte{byte(10 + r)}
				return errors.Join(s.Broadcast(ctx, buf, 0), copyTo(&got[r], buf), whole[r].Barrier(ctx), s.Close())
			}) {
				if err != nil {
					t.Errorf("rank %d: %v", r, err)
				}
			}
			if want := "\x0a\x0b\x0a\x0b\x0a\x0b"; string(got) != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func copyTo(dst *byte, src []byte) error {
	*dst = src[0]
	return nil
}
