package perf

import "github.com/goshmem/goshmem/shmem"

// words returns the side of an operation on one word of the other PE, nil if there
// is no such operation.
func (m *moves) words(word shmem.Array[int64], o Order) side {
	switch o.Op {
	case OpP:
		return loop(func(n int) error {
			return m.batches(o.Every, n, func(k int) error { return pLoop(word, k) })
		})
	case OpG:
		return loop(func(n int) error { return gLoop(word, n) })
	case OpFetchAdd:
		return loop(func(n int) error { return fetchAddLoop(word, n) })
	case OpCompareSwap:
		return loop(func(n int) error { return compareSwapLoop(word, n) })
	case OpAdd:
		return loop(func(n int) error {
			return m.batches(o.Every, n, func(k int) error { return atomicAddLoop(word, k) })
		})
	}
	return nil
}

func atomicAddLoop(word shmem.Array[int64], n int) error {
	before, err := word.G(0, target)
	for range n {
		if err := shmem.AtomicAdd(word, 0, 1, target); err != nil {
			return err
		}
	}
	got, failed := word.G(0, target)
	if err == nil {
		err = failed
	}
	return expect("the sum", got, before+int64(n), err)
}
