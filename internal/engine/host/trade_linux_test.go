package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/goshmem/goshmem/internal/engine"
)

// stranger connects to the hub of a job, does its worst, and returns what it holds.
type stranger func(t *testing.T, hub string) *net.UnixConn

// dialHub connects to a hub as anybody on this machine could.
func dialHub(t *testing.T, hub string) *net.UnixConn {
	conn, err := net.DialUnix("unixpacket", nil, &net.UnixAddr{Name: hub, Net: "unixpacket"})
	if err != nil {
		t.Errorf("a stranger cannot connect: %v", err)
		return nil
	}
	return conn
}

// says is a stranger that sends bytes and descriptors.
func says(message []byte, fds ...int) stranger {
	return func(t *testing.T, hub string) *net.UnixConn {
		conn := dialHub(t, hub)
		if conn == nil {
			return nil
		}
		var oob []byte
		if len(fds) > 0 {
			oob = unix.UnixRights(fds...)
		}
		if _, _, err := conn.WriteMsgUnix(message, oob, nil); err != nil {
			t.Errorf("a stranger cannot write: %v", err)
		}
		return conn
	}
}

// cardBytes is what a card of rank looks like.
func cardBytes(rank uint32) []byte {
	b := make([]byte, cardLen)
	b[0], b[1], b[2], b[3] = byte(rank), byte(rank>>8), byte(rank>>16), byte(rank>>24)
	copy(b[8:], "nowhere")
	return b
}

// TestTradeWithStrangers lets others than the job's processes come to the hub
// first: the job comes into being all the same.
func TestTradeWithStrangers(t *testing.T) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	fd := int(null.Fd())
	strangers := map[string]stranger{
		"leaves at once": func(t *testing.T, hub string) *net.UnixConn {
			if conn := dialHub(t, hub); conn != nil {
				conn.Close()
			}
			return nil
		},
		"garbage":                          says(bytes.Repeat([]byte("garbage"), 100)),
		"nothing":                          says(nil),
		"one byte":                         says([]byte{1}),
		"a card without descriptors":       says(cardBytes(1)),
		"a card with one descriptor":       says(cardBytes(1), fd),
		"a card with many descriptors":     says(cardBytes(1), fd, fd, fd, fd, fd, fd, fd, fd),
		"descriptors without a card":       says([]byte("x"), fd, fd),
		"a card of PE 0":                   says(cardBytes(0), fd, fd),
		"a card of a PE that is none":      says(cardBytes(3), fd, fd),
		"a card of a negative PE":          says(cardBytes(1<<32-1), fd, fd),
		"a card that is one byte too long": says(append(cardBytes(1), 0), fd, fd),
	}
	for name, s := range strangers {
		t.Run(name, func(t *testing.T) {
			before := descriptors(t)
			checkWorld(t, visitedBy(t, 3, s))
			if after := descriptors(t); after > before {
				t.Errorf("%d descriptors were open, now %d", before, after)
			}
		})
	}
}

// visitedBy opens a world whose hub a stranger has found first.
func visitedBy(t *testing.T, n int, s stranger) []*Heap {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	heaps, errs, ex := make([]*Heap, n), make([]error, n), exchanges(n)
	var visitor *net.UnixConn
	ex[0].look = func(buf []byte) {
		if name := cstring(buf[:min(64, len(buf))]); strings.HasPrefix(name, "@goshmem-hub-") {
			visitor = s(t, name)
		}
	}
	done := make(chan int)
	for rank := range n {
		go func() {
			heaps[rank], errs[rank] = open(ctx, engine.Job{Config: smallConfig(), Rank: rank, Size: n, Exchange: ex[rank]})
			done <- rank
		}()
	}
	for range n {
		<-done
	}
	if visitor != nil {
		visitor.Close()
	}
	none(t, errs)
	if t.Failed() {
		t.FailNow()
	}
	return heaps
}

// checkWorld stores through every PE into every other and reads it there.
func checkWorld(t *testing.T, heaps []*Heap) {
	t.Helper()
	for _, h := range heaps {
		if err := h.Commit(0, pageSize); err != nil {
			t.Error(err)
		}
	}
	for _, h := range heaps {
		for pe := range heaps {
			*(*uint64)(unsafe.Add(h.Base(pe), 8*h.rank)) = uint64(100*h.rank + pe)
		}
	}
	for pe, h := range heaps {
		for from := range heaps {
			if got := *(*uint64)(unsafe.Add(h.Base(pe), 8*from)); got != uint64(100*from+pe) {
				t.Errorf("PE %d holds %d from PE %d", pe, got, from)
			}
		}
	}
	for _, h := range heaps {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	}
}

// descriptors counts the open descriptors of this process.
func descriptors(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// TestTradeMissing: the error names who has not come, and nothing stays open.
func TestTradeMissing(t *testing.T) {
	before := descriptors(t)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	ex := exchanges(4)
	errs := make(chan error)
	for _, rank := range []int{0, 2} {
		go func() {
			_, err := open(ctx, engine.Job{Config: smallConfig(), Rank: rank, Size: 4, Exchange: ex[rank]})
			errs <- err
		}()
	}
	var all []string
	for range 2 {
		err := <-errs
		if !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, os.ErrDeadlineExceeded) && !strings.Contains(fmt.Sprint(err), "PE 0") {
			t.Errorf("%v", err)
		}
		all = append(all, fmt.Sprint(err))
	}
	if text := strings.Join(all, "\n"); !strings.Contains(text, "PEs 1, 3 are absent from the exchange of memory") {
		t.Errorf("%s: does not name PEs 1 and 3", text)
	}
	if after := descriptors(t); after > before {
		t.Errorf("%d descriptors were open, now %d", before, after)
	}
}

// TestTradeTooMany refuses a world that no machine can hold.
func TestTradeTooMany(t *testing.T) {
	_, err := open(t.Context(), engine.Job{Config: smallConfig(), Rank: 0, Size: maxPEs + 1})
	if err == nil || !strings.Contains(err.Error(), "4097 PEs: at most 4096 in a world") {
		t.Errorf("%v", err)
	}
}
