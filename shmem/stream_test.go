package shmem_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/shmem"
)

// TestStreamRejected: a collective on a stream that one PE rejects fails there at once, on
// the streams of the others behind what was queued before, and in everybody's next
// blocking call.
func TestStreamRejected(t *testing.T) {
	var told, ended sync.WaitGroup // a PE that fails would be named for that
	told.Add(3)
	ended.Add(3)
	err := shmem.RunLocal(t.Context(), 3, badOptions(), func(ctx context.Context, w *shmem.World) error {
		a, b, _ := twoArrays(t, w)
		s := must1(w.Device().NewStream())(t)
		must(t, w.BarrierOnStream(s)) // this one is well
		half, why := a, "the destination has 8 elements, the source 4: slice the longer one"
		if w.MyPE() == 1 {
			half = must1(a.Slice(0, 4))(t)
		}
		err := shmem.AllReduceOnStream(s, w.Team(), b, half, shmem.Sum)
		late := s.Synchronize(ctx)
		if w.MyPE() == 1 {
			wrong{is: shmem.ErrLength, op: "allreduce on stream", peer: -1, text: why}.in(w).check(t, err)
			must(t, late)
		} else {
			must(t, err)
			has(t, late, shmem.ErrMismatch, "a fault in a stream (shmem: allreduce on stream: PE 1 gave this team up: shmem: allreduce on stream: "+why)
			has(t, w.BarrierOnStream(s), shmem.ErrMismatch, why) // the stream is lost
		}
		told.Done()
		told.Wait()
		kind := shmem.ErrMismatch
		if w.MyPE() == 1 {
			kind = shmem.ErrLength
		}
		err = w.Barrier(ctx)
		ended.Done()
		ended.Wait()
		has(t, err, kind, why)
		_ = s.Close() // its fault was looked at
		return err
	})
	if !errors.Is(err, shmem.ErrMismatch) {
		t.Errorf("the world ended with %v", err)
	}
}

// has holds an error to its kind and to a part of its text.
func has(t testing.TB, err, kind error, text string) {
	t.Helper()
	if !errors.Is(err, kind) || !strings.Contains(err.Error(), text) {
		t.Errorf("error %v, want one that is %q, with %q", err, kind, text)
	}
}

// TestStreamTooLong: a wait on a stream that takes too long is told by Synchronize, with
// the line that asked for it, and the world goes on.
func TestStreamTooLong(t *testing.T) {
	o := badOptions()
	o.Timeout = 100 * time.Millisecond
	must(t, shmem.RunLocal(t.Context(), 2, o, func(ctx context.Context, w *shmem.World) error {
		a, b, sig := twoArrays(t, w)
		s := must1(w.Device().NewStream())(t)
		line := here(1)
		must(t, sig.WaitUntilOnStream(s, shmem.GE, 5))
		must(t, a.PutOnStream(s, b, w.MyPE())) // is not done behind a fault
		err := s.Synchronize(ctx)
		has(t, err, shmem.ErrTimeout, "shmem: signal wait until on stream: for a value >= 5, the last value was 0: timed out after ")
		has(t, err, gpu.ErrFault, line)
		has(t, a.PutOnStream(s, b, 0), shmem.ErrTimeout, "shmem: put on stream: ")
		_ = s.Close() // its fault was looked at
		freeAll(t, a, b, sig)
		return nil
	}))
}

// TestStreamFinalize: Finalize waits for what is queued on streams, and nothing can be
// queued after it.
func TestStreamFinalize(t *testing.T) {
	must(t, shmem.RunLocal(t.Context(), 2, badOptions(), func(ctx context.Context, w *shmem.World) error {
		a, b, sig := twoArrays(t, w)
		must(t, b.Fill(int64(w.MyPE()+1)))
		must(t, w.Sync(ctx))
		must(t, sig.WaitUntilOnStream(nil, shmem.GE, 1))
		must(t, a.PutOnStream(nil, b, 1-w.MyPE()))
		must(t, w.BarrierOnStream(nil))
		own := must1(a.Local())(t)
		late := make(chan error, 1)
		go func() { late <- w.Finalize(ctx) }()
		must(t, sig.Set(1, w.MyPE()))
		must(t, <-late)
		if want := int64(2 - w.MyPE()); own[7] != want {
			t.Errorf("after Finalize PE %d holds %d, want %d", w.MyPE(), own[7], want)
		}
		has(t, a.PutOnStream(nil, b, 0), shmem.ErrClosed, "put on stream: ")
		has(t, w.BarrierOnStream(nil), shmem.ErrClosed, "barrier on stream: ")
		return nil
	}))
}

// TestCheckedStream: a blocking barrier while a transfer on a stream is under way is found
// in checked mode, with the line of the transfer. After a quiet on the stream, and after a
// wait for it, there is nothing to find.
func TestCheckedStream(t *testing.T) {
	var others, ended sync.WaitGroup
	others.Add(1)
	ended.Add(2)
	err := shmem.RunLocal(t.Context(), 2, misusing(), func(ctx context.Context, w *shmem.World) error {
		a, b, sig := twoArrays(t, w)
		s := must1(w.Device().NewStream())(t)
		must(t, a.PutOnStream(s, b, w.MyPE()))
		must(t, s.Synchronize(ctx))
		must(t, w.Barrier(ctx))
		must(t, s.BeginCapture())
		must(t, a.PutOnStream(s, b, w.MyPE())) // is not under way
		must(t, w.Barrier(ctx))
		must(t, must1(s.EndCapture())(t).Close())
		must(t, w.QuietOnStream(s)) // before the next put to the same place
		must(t, sig.WaitUntilOnStream(s, shmem.GE, uint64(1+w.MyPE())))
		must(t, a.PutOnStream(s, b, w.MyPE()))
		must(t, w.QuietOnStream(s))
		must(t, w.Barrier(ctx)) // while the stream still waits
		line := here(2)
		if w.MyPE() == 1 {
			must(t, a.GetOnStream(s, b, w.MyPE()))
		}
		err := w.Barrier(ctx)
		if w.MyPE() == 1 {
			wrong{is: shmem.ErrMisuse, op: "barrier", peer: -1, text: "the get on a stream at " + line + " is under way, and a blocking barrier does not complete it"}.in(w).check(t, err)
		} else {
			has(t, err, shmem.ErrMismatch, "PE 1 gave this team up: the get on a stream at stream_test.go:")
			others.Done()
		}
		others.Wait()
		must(t, sig.Set(2, w.MyPE()))
		must(t, s.Synchronize(ctx))
		must(t, s.Close())
		ended.Done()
		ended.Wait() // a PE that fails ends the waits of others
		return err
	})
	if !errors.Is(err, shmem.ErrMisuse) {
		t.Errorf("the world ended with %v", err)
	}
}
