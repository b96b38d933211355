package provider

import "github.com/goshmem/goshmem/gpu"

// traceWords is how many words a context table has behind the bases: those of tracing,
// which is off.
const traceWords = 17

// ContextTable makes the table that Iris's device context is made of: the rank, the number of
// ranks, the bases, and zeros for tracing, int64 in the device's memory. Close it when its
// allocation is freed. Local. Iris: get_device_context. Errors: ErrIndirect.
func ContextTable(m *AddressMap, d *gpu.Device) (gpu.Slice[int64], error) {
	const op = "context table"
	if !m.AllDirect() {
		return gpu.Slice[int64]{}, fail(op, m.indirect())
	}
	content := append([]int64{int64(m.LocalRank()), int64(m.NumRanks())}, words(m.bases)...)
	content = append(content, make([]int64, traceWords)...)
	table, err := gpu.Alloc[int64](d, len(content))
	if err == nil {
		err = table.CopyFrom(content, nil)
	}
	return table, fail(op, err)
}
