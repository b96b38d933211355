package raw

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/internal/ccl/mock"
	"github.com/goshmem/goshmem/internal/dl"
)

// inChild names the file that a child of TestSecondCopy opens after the first.
const inChild = "NCCL_RAW_TEST_SECOND"

func TestMain(m *testing.M) {
	if second := os.Getenv(inChild); second != "" {
		fmt.Println(openTwo(second))
		return
	}
	os.Exit(m.Run())
}

// openTwo opens NCCL as the search finds it, then another copy.
func openTwo(second string) error {
	l, err := Open("nccl", "")
	if err != nil {
		return err
	}
	fmt.Println(l.Path())
	if _, err := Open("nccl", l.Path()); err != nil {
		return err
	}
	_, err = Open("nccl", second)
	return err
}

// TestSecondCopy: a process that has one copy gets no other, and is told of both. The
// first is what the loader finds, before that of a home.
func TestSecondCopy(t *testing.T) {
	first, second := mock.Built(t, "libnccl.so.2"), mock.Built(t, "libnccl.so.2.1")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	if err := os.Mkdir(filepath.Join(home, "lib"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(second, filepath.Join(home, "lib", "libnccl.so.2")); err != nil {
		t.Fatal(err)
	}
	child := exec.CommandContext(t.Context(), self)
	child.Env = append(os.Environ(), inChild+"="+second, "NCCL_LIBRARY=", "CUDA_HOME="+home, "LD_LIBRARY_PATH="+filepath.Dir(first))
	out, err := child.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if text := string(out); !strings.HasPrefix(text, first+"\n") || !strings.Contains(text, first+", "+second) || !strings.Contains(text, "NCCL_LIBRARY") {
		t.Errorf("with %s and %s:\n%s", first, second, text)
	}
}

// TestNotFound: the error names what was tried; NCCL_LIBRARY is tried alone.
func TestNotFound(t *testing.T) {
	t.Setenv("NCCL_LIBRARY", "/nowhere/libx.so")
	_, err := Open("rccl", "")
	if err == nil || !strings.Contains(err.Error(), "tried NCCL_LIBRARY") && !strings.Contains(err.Error(), "(tried /nowhere/libx.so)") {
		t.Errorf("with the variable: %v", err)
	}
	t.Setenv("NCCL_LIBRARY", "")
	t.Setenv("ROCM_PATH", "/nowhere/rocm")
	t.Setenv("HIP_PATH", "/nowhere/hip")
	_, err = Open("rccl", "")
	if err == nil {
		t.Fatal("there is a librccl.so here, or a test is wrong")
	}
	last := -1
	for _, part := range []string{"librccl.so.1", "/nowhere/rocm/lib/librccl.so.1", "/nowhere/hip/lib/librccl.so.1"} {
		at := strings.LastIndex(err.Error(), part)
		if part == "librccl.so.1" {
			at = strings.Index(err.Error(), "tried librccl.so.1")
		}
		if at <= last {
			t.Errorf("%s is not tried, or not in its turn: %v", part, err)
		}
		last = at
	}
	if _, err := Open("nickel", ""); err == nil {
		t.Error("a library that is none can be opened")
	}
}

// TestOldLibrary: 2.18 opens, and what it lacks says so; without a call that we need it
// does not.
func TestOldLibrary(t *testing.T) {
	var flags []string
	for _, name := range []string{"ncclMemAlloc", "ncclGroupSimulateEnd", "ncclCommInitRankScalable", "ncclAlltoAll", "ncclGetLastError"} {
		flags = append(flags, "-D"+name+"=not"+name)
	}
	m := mock.New(t, flags...)
	m.Version(21803)
	l := open(t, m, "nccl")
	_, err := l.MemAlloc(1)
	if !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), "NCCL 2.18.3 ("+m.Path+") has no such function: it came with NCCL 2.19") {
		t.Errorf("%v", err)
	}
	if err := l.AlltoAll(1, 2, 3, Int8, 0, 0); !errors.Is(err, ErrUnsupported) {
		t.Errorf("all-to-all: %v", err)
	}
	if l.Has("ncclMemAlloc") || !l.Has("ncclSend") || l.Has("ncclNone") || l.Need("ncclSend") != nil || l.Need("ncclNone") == nil {
		t.Error("what there is and what not is told wrongly")
	}
	broken := mock.Built(t, "libmock.so", "-DncclSend=notSend")
	if _, err := Open("nccl", broken); err == nil || !strings.Contains(err.Error(), "no ncclSend") {
		t.Errorf("without ncclSend: %v", err)
	}
}

// TestOtherNames: RCCL has had two names for the calls that give every rank something else.
func TestOtherNames(t *testing.T) {
	m := mock.New(t, "-DRCCL", "-DncclAlltoAll=none", "-DncclAllToAllv=ncclAlltoAllv")
	l := open(t, m, "rccl")
	c := made(t, l)
	m.Take()
	if err := errors.Join(l.AlltoAll(1, 2, 3, Int64, c, 9), l.AlltoAllv(1, []int{3, 4}, []int{0, 3}, 2, []int{5, 6}, []int{1, 7}, Float32, c, 9)); err != nil {
		t.Error(err)
	}
	want := fmt.Sprintf("ncclAllToAll 1 2 3 4 %[1]d 9;ncclAlltoAllv 1 [3 4] [0 3] 2 [5 6] [1 7] 7 %[1]d 9", int64(c))
	if got := strings.Join(m.Take(), ";"); got != want {
		t.Errorf("called %q\nwant   %q", got, want)
	}
}

// TestResults: what the library answers, by code, with its words and its last warning.
func TestResults(t *testing.T) {
	m := mock.New(t)
	l := open(t, m, "nccl")
	for code, want := range map[int]error{1: ErrUnhandledCUDA, 2: ErrSystem, 3: ErrInternal, 4: ErrInvalidArgument, 5: ErrInvalidUsage, 6: ErrRemote, 8: ErrTimeout} {
		m.Fail("ncclSend", code, 0)
		err := l.Send(1, 2, Int8, 0, 0, 0)
		if !errors.Is(err, want) || !strings.HasSuffix(err.Error(), fmt.Sprintf("(%d): mock words; its last warning: mock warns of ncclSend", code)) {
			t.Errorf("%d: %v", code, err)
		}
	}
	m.Fail("ncclSend", 7, 0)
	if err := l.Send(1, 2, Int8, 0, 0, 0); err != ErrInProgress {
		t.Errorf("in progress: %v", err)
	}
	m.Fail("ncclSend", 99, 0)
	var e *Error
	if err := l.Send(1, 2, Int8, 0, 0, 0); !errors.As(err, &e) || e.Code != 99 || e.Text != "unknown result code" {
		t.Errorf("a code of the future: %v", err)
	}
}

// TestLate: slots are written after the call has returned: at the end of a group, or when
// the communicator is no longer in progress.
func TestLate(t *testing.T) {
	m := mock.New(t)
	l := open(t, m, "nccl")
	c := made(t, l)
	must := func(err error) {
		t.Helper()
		if err != nil && !errors.Is(err, ErrInProgress) {
			t.Fatal(err)
		}
	}
	s, w := NewSlot(), NewSlot()
	must(l.GroupStart())
	must(l.CommSplit(c, 1, 2, s, nil))
	must(l.CommWindowRegister(c, 1, 2, w, 0))
	if s.Value() != 0 || w.Value() != 0 {
		t.Error("written before the end of the group")
	}
	must(l.GroupEnd())
	if s.Value() == 0 || w.Value() != 0x888 {
		t.Errorf("after the group: %#x, %#x", s.Value(), w.Value())
	}
	s.Free()
	s.Free()
	s = NewSlot()
	m.Late(2)
	if err := l.CommSplit(c, 1, 2, s, nil); !errors.Is(err, ErrInProgress) {
		t.Errorf("split: %v", err)
	}
	for i, want := range []Result{InProgress, InProgress, Success} {
		if s.Value() != 0 {
			t.Errorf("written before question %d", i)
		}
		if got, err := l.CommGetAsyncError(c); got != want || err != nil {
			t.Errorf("question %d: %v, %v", i, got, err)
		}
	}
	if s.Value() == 0 {
		t.Error("nothing was written")
	}
}

// TestConfig: what is set comes to the library as its own header lays it out.
func TestConfig(t *testing.T) {
	m := mock.New(t)
	l := open(t, m, "nccl")
	init := func(c *Config) string {
		t.Helper()
		m.Take()
		s := NewSlot()
		defer s.Free()
		if err := l.CommInitRankConfig(s, 4, id(), 2, c); err != nil {
			t.Fatal(err)
		}
		_, text, _ := strings.Cut(m.Take()[0], "{")
		return text
	}
	c := NewConfig()
	if got, want := init(c), "96 cafebeef 23007}"; got != want {
		t.Errorf("nothing set: %s, want %s", got, want)
	}
	c.Blocking, c.CGAClusterSize, c.MinCTAs, c.MaxCTAs, c.SplitShare, c.TrafficClass = 0, 1, 2, 3, 4, 5
	c.CollNetEnable, c.CTAPolicy, c.ShrinkShare, c.NVLSCTAs, c.NChannelsPerNetPeer, c.NVLinkCentricSched = 6, 7, 8, 9, 10, 11
	c.GraphUsageMode, c.NumRMACtx, c.MaxP2PPeers, c.GraphStreamOrdering = 12, 13, 14, 15
	c.NetName, c.CommName = "IB", "mine"
	known := "cgaClusterSize=1 minCTAs=2 maxCTAs=3 splitShare=4 trafficClass=5 collnetEnable=6 CTAPolicy=7 shrinkShare=8 nvlsCTAs=9 " +
		"nChannelsPerNetPeer=10 nvlinkCentricSched=11 graphUsageMode=12 numRmaCtx=13 maxP2pPeers=14 graphStreamOrdering=15"
	if got, want := init(c), "96 cafebeef 23007 blocking=0 "+known+" net=IB name=mine}"; got != want {
		t.Errorf("all that the header has: %s\nwant %s", got, want)
	}
	first := l.keep("mine")
	c.LaunchOrderImplicit, c.NumRMASig, c.RMAEagerInit, c.HostCFTMode, c.NVLSHostMode = 16, 17, 18, 19, 20
	if got, want := init(c), "120 cafebeef 23200 blocking=0 "+known+" launchOrderImplicit=16 numRmaSig=17 rmaEagerInit=18 hostCftMode=19 nvlsHostMode=20 net=IB name=mine}"; got != want {
		t.Errorf("and all that the guides have: %s\nwant %s", got, want)
	}
	for i := range 40 {
		l.keep(strings.Repeat("x", 1000) + fmt.Sprint(i))
	}
	runtime.GC()
	if l.keep("mine") != first || dl.Text(first, 10) != "mine" {
		t.Error("a name that the library keeps has moved")
	}
}

// TestAllocations: nothing on the way to the library costs an allocation.
func TestAllocations(t *testing.T) {
	m := mock.New(t, "-DRCCL")
	m.Quiet()
	l := open(t, m, "rccl")
	counts := make([]int, 4)
	for name, call := range map[string]func() error{
		"AllReduce": func() error { return l.AllReduce(1, 2, 3, Float32, Sum, comm, 0) },
		"Reduce":    func() error { return l.Reduce(1, 2, 3, Float32, Sum, 0, comm, 0) },
		"Send":      func() error { return l.Send(1, 2, Float32, 0, comm, 0) },
		"AlltoAllv": func() error { return l.AlltoAllv(1, counts, counts, 2, counts, counts, Float32, comm, 0) },
		"group":     func() error { return errors.Join(l.GroupStart(), l.GroupEnd()) },
	} {
		if n := testing.AllocsPerRun(100, func() {
			if err := call(); err != nil {
				t.Fatal(name, err)
			}
		}); n != 0 && !raceBuild { // the race detector has pools lose things
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
