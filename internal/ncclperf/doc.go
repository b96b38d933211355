// Package ncclperf is `goshmem perf nccl`: it measures collectives as nccl-tests do, with
// the same columns, factors and checks, over package nccl, and so also without a GPU.
package ncclperf
