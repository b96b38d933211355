package provider

import (
	"encoding/binary"
	"fmt"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/internal/device"
)

// checks is a table with what kernels need to check their pointers, in the layout of
// goshmem.h: four words stand before entry 0.
type checks struct {
	all    gpu.Slice[int64]
	table  gpu.Slice[int64] // from entry 0
	report gpu.Buffer
}

// The layout of the words before a checked table, and of its report.
const (
	checkMagic   = 0x6b63656863736f67 // "goscheck"
	checkWords   = 4
	reportBytes  = 4096
	reportFields = 5 // code, from, to, address, bytes
)

// Checked returns a map of the same allocation for kernels that were compiled with
// GOSHMEM_CHECKED: each of their accesses is compared with the bounds of the allocation and
// with the ranks that there are. A wrong one goes nowhere, and the first is kept for
// [AddressMap.Report]. Unlike other maps it needs a Close; ranks with the entry 0 are
// allowed in it. It is slow, and for finding mistakes. Local.
func (m *AddressMap) Checked(d *gpu.Device) (*AddressMap, error) {
	const op = "checked map"
	if m == nil || m.stale.Load() {
		return nil, fail(op, problem(ErrFreed, "there is no allocation any more"))
	}
	c := &checks{}
	var err error
	if c.report, err = gpu.Alloc[byte](d, reportBytes); err != nil {
		return nil, fail(op, err)
	}
	if c.all, err = gpu.Alloc[int64](d, checkWords+len(m.bases)); err != nil {
		return nil, fail(op, joined(err, c.report.Close()))
	}
	head := []int64{checkMagic, int64(len(m.bases)), int64(m.bytes), int64(c.report.Address())}
	if err = c.all.CopyFrom(append(head, words(m.bases)...), nil); err == nil {
		err = c.report.Fill(0)
	}
	if err == nil {
		c.table, err = c.all.Slice(checkWords, c.all.Len())
	}
	if err != nil {
		return nil, fail(op, err)
	}
	copied := *m
	copied.checks, copied.table, copied.direct = c, c.table, true
	return &copied, nil
}

func (c *checks) argument() device.Argument { return c.table.KernelArgument() }

func (c *checks) close() error {
	err := c.all.Close()
	if other := c.report.Close(); err == nil {
		err = other
	}
	return err
}

// fault is what a kernel has noted, in words.
func fault(code int64) string {
	names := [...]string{1: "without a table", 2: "a rank that there is not", 3: "a rank that kernels cannot reach", 4: "memory outside the allocation"}
	if code > 0 && code < int64(len(names)) {
		return names[code]
	}
	return fmt.Sprintf("fault %d", code)
}

// Report says what the first wrong access of kernels with a checked map was, nil if there
// was none; the kernels must be done. Errors: ErrWild.
func (m *AddressMap) Report() error {
	if m == nil || m.checks == nil {
		return fail("report", problem(ErrArgument, "this is no checked map: use AddressMap.Checked"))
	}
	record := make([]byte, reportBytes)
	if err := m.checks.report.CopyTo(record, nil); err != nil {
		return fail("report", err)
	}
	var f [reportFields]int64
	for i := range f {
		f[i] = int64(binary.LittleEndian.Uint64(record[8*i:]))
	}
	if f[0] == 0 {
		return nil
	}
	return fail("report", problem(ErrWild, "%s: %d bytes at %#x, from rank %d to %d; the allocation has %d bytes at %#x of rank %d", fault(f[0]), f[4], uint64(f[3]), f[1], f[2], m.bytes, m.AllocationBase(), m.rank))
}
