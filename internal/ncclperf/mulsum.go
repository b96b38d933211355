package ncclperf

import (
	"unsafe"

	"github.com/goshmem/goshmem/dtype"
	"github.com/goshmem/goshmem/nccl"
)

// makers make the operation of the user's for each type, in the order of the types.
func makers() []func(c *nccl.Comm, factor []byte) (*nccl.PreMulSum, error) {
	return []func(c *nccl.Comm, factor []byte) (*nccl.PreMulSum, error){
		preMulSum[int8], preMulSum[uint8], preMulSum[int32], preMulSum[uint32], preMulSum[int64], preMulSum[uint64],
		preMulSum[dtype.Float16], preMulSum[float32], preMulSum[float64], preMulSum[dtype.BFloat16], preMulSum[dtype.Float8E4M3], preMulSum[dtype.Float8E5M2],
	}
}

// preMulSum has a factor given as bytes, of which there are at least as many as T has.
func preMulSum[T any](c *nccl.Comm, factor []byte) (*nccl.PreMulSum, error) {
	return nccl.NewPreMulSum(c, *(*T)(unsafe.Pointer(&factor[0])))
}
