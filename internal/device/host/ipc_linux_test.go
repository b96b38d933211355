package host

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/mem"
)

// roleVariable makes a process of this test binary the other side of an exchange.
const roleVariable = "GOSHMEM_TEST_DEVICE_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(roleVariable) {
	case "import":
		os.Exit(verdict(importer(os.Stdin)))
	case "export":
		os.Exit(verdict(exporter(os.Stdin)))
	}
	os.Exit(m.Run())
}

func verdict(err error) int {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// importer reads a handle, waits for the word 0, and answers in the word 1.
func importer(in io.Reader) error {
	d, err := Open(1)
	if err != nil {
		return err
	}
	var text string
	if _, err := fmt.Fscan(in, &text); err != nil {
		return err
	}
	h, err := parse(text)
	if err != nil {
		return err
	}
	p, err := d.Import(0, h)
	if err != nil {
		return err
	}
	if err := d.WaitValue(0, 0, p, 41, device.CompareEQ); err != nil {
		return err
	}
	if err := d.WriteValue(0, 0, p+8, 42); err != nil {
		return err
	}
	if err := d.CopyIn(0, p, nil, 0, 0); err != nil { // waits
		return err
	}
	if err := d.CloseImport(0, p); err != nil {
		return err
	}
	return d.Close()
}

// exporter prints a handle, and lives until it can read no more.
func exporter(in io.Reader) error {
	d, err := Open(1)
	if err != nil {
		return err
	}
	p, err := d.Alloc(0, 100)
	if err != nil {
		return err
	}
	h, err := d.Export(0, p)
	if err != nil {
		return err
	}
	fmt.Println(hex.EncodeToString(h[:]))
	_, err = io.Copy(io.Discard, in)
	return err
}

func parse(text string) (h device.IPCHandle, err error) {
	_, err = hex.Decode(h[:], []byte(text))
	return h, err
}

// other starts this binary in a role.
func other(t *testing.T, role string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	ok(t, err)
	c := exec.Command(exe)
	c.Env = append(os.Environ(), roleVariable+"="+role)
	c.Stderr = os.Stderr
	return c
}

// TestImportByAnotherProcess has streams of two processes answer each other through
// one allocation that is not the first in its arena.
func TestImportByAnotherProcess(t *testing.T) {
	d := start(t, 1)
	memoryOf(t, d, 0, 5000)
	p := memoryOf(t, d, 0, 10000)
	put(t, d, 0, p, 0, 0, 0)
	h := must[device.IPCHandle](t)(d.Export(0, p))
	c := other(t, "import")
	c.Stdin = strings.NewReader(hex.EncodeToString(h[:]))
	ok(t, c.Start())
	ok(t, d.WriteValue(0, 0, p, 41))
	if err := c.Wait(); err != nil {
		t.Fatalf("the other process: %v", err)
	}
	ok(t, d.WaitValue(0, 0, p+8, 42, device.CompareEQ))
	if got := get(t, d, 0, p, 0, 2); got[1] != 42 {
		t.Errorf("%d", got)
	}
}

func TestImportOfADeadProcess(t *testing.T) {
	d := start(t, 1)
	c := other(t, "export")
	in, err := c.StdinPipe()
	ok(t, err)
	out, err := c.StdoutPipe()
	ok(t, err)
	ok(t, c.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	ok(t, err)
	h, err := parse(strings.TrimSpace(line))
	ok(t, err)
	p := must[device.Ptr](t)(d.Import(0, h))
	ok(t, in.Close())
	ok(t, c.Wait())
	_, err = d.Import(0, h)
	want(t, err, device.ErrClosed, fmt.Sprintf("process %d", c.Process.Pid), "not there any more")
	put(t, d, 0, p, 0, 1) // what is mapped stays until it is given back
	ok(t, d.CloseImport(0, p))
	want(t, d.CloseImport(0, p), device.ErrArgument, "freed already")
}

func TestImportInTheSameProcess(t *testing.T) {
	d, importer := start(t, 1), start(t, 2)
	for _, n := range []uintptr{1, 100, 4096, 10000} {
		p := memoryOf(t, d, 0, n)
		h := must[device.IPCHandle](t)(d.Export(0, p))
		q := must[device.Ptr](t)(importer.Import(1, h))
		if a := must[device.Attributes](t)(importer.Attributes(q)); a != (device.Attributes{Known: true, Device: 1, Base: q, Size: n}) {
			t.Errorf("%+v", a)
		}
		ok(t, d.Fill(0, p, 7, 1, n, 0))
		settle(t, d, 0, 0)
		ok(t, importer.Fill(1, q+device.Ptr(n)-1, 8, 1, 1, 0))
		settle(t, importer, 1, 0)
		if last := mem.At[byte](uintptr(p)+n-1, 1)[0]; last != 8 {
			t.Errorf("%d bytes: the last is %d", n, last)
		}
		_, err := importer.Export(1, q)
		want(t, err, device.ErrArgument, "an import")
		want(t, importer.Free(1, q), device.ErrArgument, "an import")
		want(t, importer.CloseImport(0, q), device.ErrArgument, "of device 1")
		ok(t, importer.CloseImport(1, q))
	}
}

func TestExportAndImportRefusals(t *testing.T) {
	d := start(t, 2)
	p, pinned := must[device.Ptr](t)(d.Alloc(0, 5000)), must[device.Ptr](t)(d.AllocPinned(0, 8))
	defer func() { ok(t, d.FreePinned(0, pinned)) }()
	for _, c := range []struct {
		dev int
		p   device.Ptr
		say string
	}{{0, p + 8, "begins at"}, {1, p, "of device 0"}, {0, pinned, "pinned"}, {0, 8, "no allocation"}} {
		_, err := d.Export(c.dev, c.p)
		want(t, err, device.ErrArgument, c.say)
	}
	h := must[device.IPCHandle](t)(d.Export(0, p))
	bad := unpack(h)
	for name, change := range map[string]func(*ticket){
		"another check":   func(t *ticket) { t.check++ },
		"beyond the file": func(t *ticket) { t.offset = 1 << 60 },
		"huge":            func(t *ticket) { t.size = ^uint64(0) },
		"another file":    func(t *ticket) { t.fd = 0 },
		"no process":      func(t *ticket) { t.pid = 1 << 40 },
	} {
		t.Run(name, func(t *testing.T) {
			b := bad
			change(&b)
			_, err := d.Import(0, b.pack())
			want(t, err, device.ErrClosed, "not there any more")
		})
	}
	_, err := d.Import(0, device.IPCHandle{1})
	want(t, err, device.ErrArgument, "no handle of the host driver")
	ok(t, d.Free(0, p))
	_, err = d.Import(0, h)
	want(t, err, device.ErrClosed, "it is freed")
	small := must[device.Ptr](t)(d.Alloc(0, 8)) // whose page stays
	h = must[device.IPCHandle](t)(d.Export(0, small))
	ok(t, d.Free(0, small))
	_, err = d.Import(0, h)
	want(t, err, device.ErrClosed, "it is freed")
}

// TestMemoryGoesBack: freed pages are the system's again.
func TestMemoryGoesBack(t *testing.T) {
	d := start(t, 1)
	blocks := func() int64 {
		var st unix.Stat_t
		ok(t, unix.Fstat(d.memory.arena.fd, &st))
		return st.Blocks
	}
	p := must[device.Ptr](t)(d.Alloc(0, 1<<20))
	ok(t, d.Fill(0, p, 1, 1, 1<<20, 0)) // kernels before 5.14 have no other way to take pages
	settle(t, d, 0, 0)
	full := blocks()
	ok(t, d.Free(0, p))
	if empty := blocks(); full < 2048 || empty > full-2040 {
		t.Errorf("%d blocks of 512 bytes with an allocation of 1 MiB, %d without", full, empty)
	}
}
