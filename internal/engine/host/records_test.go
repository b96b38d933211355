package host

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/goshmem/goshmem/internal/engine"
)

// recordOf is a record whose fields all follow from one number.
func recordOf(n int) engine.Record {
	return engine.Record{
		Deed: engine.Deed(n%4 + 1), Peer: n % 1000, At: uintptr(n), Bytes: uintptr(n) * 3,
		When: time.Unix(0, int64(n)), Site: strings.Repeat("x", n%7*8+n%5) + ":1",
	}
}

// TestRecords: the latest come back, oldest first, as they were.
func TestRecords(t *testing.T) {
	h := newLocal(2, smallConfig())
	if got := h[1].Records(0); len(got) != 0 {
		t.Errorf("%v recorded by nobody", got)
	}
	for n := range 3*engine.RecordsKept + 5 {
		h[0].Record(recordOf(n))
		got := h[1].Records(0)
		if want := min(n+1, engine.RecordsKept); len(got) != want {
			t.Fatalf("%d records after %d, want %d", len(got), n+1, want)
		}
		for i, r := range got {
			if want := recordOf(n - len(got) + 1 + i); r != want {
				t.Fatalf("record %d is %+v, want %+v", i, r, want)
			}
		}
		if last := h[1].Progress(0).Last; last != recordOf(n) {
			t.Fatalf("the latest is %+v, want %+v", last, recordOf(n))
		}
	}
	if got := h[0].Records(1); len(got) != 0 {
		t.Errorf("%v recorded by another PE", got)
	}
}

// TestRecordsLongSite: of a line that is too long to keep, the number stays.
func TestRecordsLongSite(t *testing.T) {
	h := newLocal(1, smallConfig())
	h[0].Record(engine.Record{Deed: engine.DeedPut, Site: strings.Repeat("long", 30) + ".go:123"})
	if got := h[0].Records(0)[0].Site; !strings.HasSuffix(got, "long.go:123") || len(got) != 56 {
		t.Errorf("the line is %q", got)
	}
}

// TestRecordsMeanwhile reads while many goroutines write: no record is a mixture of two.
func TestRecordsMeanwhile(t *testing.T) {
	h := newLocal(2, smallConfig())
	var writers, reader sync.WaitGroup
	done := make(chan struct{})
	reader.Go(func() {
		for {
			for _, r := range append(h[1].Records(0), h[1].Progress(0).Last) {
				if r.Deed != engine.NoDeed && r != recordOf(int(r.At)) {
					t.Errorf("%+v is a mixture", r)
					return
				}
			}
			select {
			case <-done:
				return
			default:
			}
		}
	})
	for w := range 8 {
		writers.Go(func() {
			for n := range 4000 {
				h[0].Record(recordOf(n*8 + w))
			}
		})
	}
	writers.Wait()
	close(done)
	reader.Wait()
}

// TestRecordsOvertaken: a place where another goroutine is at work, or that belongs to a
// later record, is left alone.
func TestRecordsOvertaken(t *testing.T) {
	h := newLocal(1, smallConfig())[0]
	h.own.records[1].number.Store(writing)
	h.own.records[2].number.Store(2 + engine.RecordsKept)
	for n := 1; n <= 3; n++ {
		h.Record(recordOf(n))
	}
	if got := h.Records(0); len(got) != 1 || got[0] != recordOf(3) {
		t.Errorf("records are %+v, want only the third", got)
	}
	if a, b := h.own.records[1].number.Load(), h.own.records[2].number.Load(); a != writing || b != 2+engine.RecordsKept {
		t.Errorf("the others' places are now numbered %d and %d", a, b)
	}
}
