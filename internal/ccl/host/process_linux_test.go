//go:build !race

package host

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/goshmem/goshmem/internal/ccl"
)

// roleVariable makes a process of this test binary a rank: what it does, its number, how
// many there are, and the id.
const roleVariable = "GOSHMEM_TEST_CCL_ROLE"

func TestMain(m *testing.M) {
	if role := strings.Fields(os.Getenv(roleVariable)); len(role) == 4 {
		os.Exit(play(role))
	}
	os.Exit(m.Run())
}

// stage is a testing.TB for a process that is no test.
type stage struct {
	testing.TB
	failed bool
}

func (s *stage) Helper() {}

func (s *stage) Errorf(format string, args ...any) {
	s.failed = true
	fmt.Printf(format+"\n", args...)
}

func (s *stage) Error(args ...any) { s.Errorf("%s", fmt.Sprintln(args...)) }

func (s *stage) Fatal(args ...any) {
	s.Error(args...)
	os.Exit(1)
}

func (s *stage) Fatalf(format string, args ...any) { s.Fatal(fmt.Sprintf(format, args...)) }

// play is a rank in its process.
func play(role []string) int {
	runtime.LockOSThread() // for groups
	t := &stage{}
	me, _ := strconv.Atoi(role[1])
	n, _ := strconv.Atoi(role[2])
	raw, err := hex.DecodeString(role[3])
	if err != nil {
		t.Fatal(err)
	}
	l, d := newLibrary(t, patience), newDriver(t, 1)
	c, err := l.Init(ccl.Init{Device: ccl.Device{Driver: d}, Rank: me, Size: n, IDs: []ccl.ID{ccl.ID(raw)}})
	if err != nil {
		t.Fatal(err)
	}
	r := &rank{Comm: c.(*Comm), t: t, d: d, me: me, size: n}
	switch role[0] {
	case "work":
		r.workAsProcess()
	case "die":
		r.dieAsProcess()
	}
	if t.failed {
		return 1
	}
	return 0
}

func (r *rank) workAsProcess() {
	for _, k := range regular() {
		for _, count := range []int{1, 100, 1025, 70000} {
			r.check(ccl.Call{Kind: k, Type: ccl.Float32, Count: count, Peer: count % r.size}, 0)
			r.slices(ccl.Call{Kind: k, Type: ccl.Float32, Count: count, Peer: count % r.size})
		}
	}
	r.uneven(1)
	r.uneven(30000)
	r.toAll(5)
	r.toAll(30000)
	half, err := r.Split(0, -r.me, nil)
	r.must(err)
	r.works(half, r.size)
	r.must(r.Destroy())
	if maps, err := os.ReadFile("/proc/self/maps"); err != nil || strings.Contains(string(maps), "/memfd:goshmem ") {
		r.t.Errorf("rank %d: a destroyed communicator has left memory (%v)", r.me, err)
	}
}

// slices is check with Go memory on all but the last rank.
func (r *rank) slices(call ccl.Call) {
	sends, recvs := lengths(call.Kind, r.size)
	inputs := make([][]byte, r.size)
	for i := range inputs {
		inputs[i] = noise(call.Type, sends*call.Count, i+call.Count)
	}
	dst := make([]byte, recvs*call.Count*4)
	if call = on(call, inputs[r.me], dst); r.me == r.size-1 {
		whole := r.memory(dst)
		defer r.free(whole)
		call.Recv, dst = ptrOf(whole), whole
	}
	r.must(r.do(call))
	if want := expected(call, r.me, inputs, 0); want != nil && !bytes.Equal(dst, want) {
		r.t.Errorf("rank %d: %v of %d in slices: %s", r.me, call.Kind, call.Count, text(call.Type, dst, want))
	}
}

func ptrOf(b []byte) uintptr { return uintptr(ptr(b)) }

// dieAsProcess has rank 1 killed in the midst of calls.
func (r *rank) dieAsProcess() {
	for i := range 1000000 {
		if r.me == 1 && i == 300 {
			_ = unix.Kill(os.Getpid(), unix.SIGKILL)
			select {}
		}
		if err := r.do(r.buffer(ccl.Call{Count: 5000})); err != nil {
			if !is(err, ccl.ErrRemote) || !strings.Contains(err.Error(), "died with SIGKILL") {
				r.t.Errorf("rank %d: %v", r.me, err)
			}
			break
		}
	}
	rest, err := r.Shrink([]int{1}, true, nil)
	r.must(err)
	r.works(rest, r.size-1)
	r.must(r.Abort())
}

// processes runs ranks as processes, and returns what they wrote and how they ended.
func processes(t *testing.T, what string, n int) (out []string, errs []error) {
	t.Helper()
	id, err := newLibrary(t, patience).UniqueID()
	if err != nil {
		t.Fatal(err)
	}
	out, errs = make([]string, n), make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			cmd := exec.CommandContext(t.Context(), os.Args[0])
			cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %d %d %s", roleVariable, what, i, n, hex.EncodeToString(id[:])))
			text, err := cmd.CombinedOutput()
			out[i], errs[i] = string(text), err
		})
	}
	wg.Wait()
	return out, errs
}

func TestProcesses(t *testing.T) {
	out, errs := processes(t, "work", 3)
	for i, err := range errs {
		if err != nil || out[i] != "" {
			t.Errorf("rank %d: %v\n%s", i, err, out[i])
		}
	}
}

// TestKill kills a rank: the others learn of it, and go on without it.
func TestKill(t *testing.T) {
	out, errs := processes(t, "die", 3)
	for i, err := range errs {
		if i == 1 && (err == nil || err.Error() != "signal: killed") || i != 1 && err != nil {
			t.Errorf("rank %d: %v\n%s", i, err, out[i])
		}
	}
}
