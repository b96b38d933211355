// Package nvshmem has the numbers and structs of NVSHMEM's host library under their own
// names, as a reader of NVIDIA's documents knows them.
//
// Origin: the headers of NVSHMEM 3.4.5, with which those of 3.5.1 agree in all of this.
// The tests compare them with what a C program printed that includes those headers; what
// follows Sizeof_ is the name of a type.
package nvshmem

// How to initialise.
const (
	NVSHMEMX_INIT_WITH_UNIQUEID = 8
)

// What nvshmemx_init_status returns.
const (
	NVSHMEM_STATUS_NOT_INITIALIZED = 0
	NVSHMEM_STATUS_IS_BOOTSTRAPPED = 1
	NVSHMEM_STATUS_IS_INITIALIZED  = 2
	NVSHMEM_STATUS_LIMITED_MPG     = 3
	NVSHMEM_STATUS_FULL_MPG        = 4
)

// What functions return.
const (
	NVSHMEMX_SUCCESS                        = 0
	NVSHMEMX_ERROR_INVALID_VALUE            = 1
	NVSHMEMX_ERROR_OUT_OF_MEMORY            = 2
	NVSHMEMX_ERROR_NOT_SUPPORTED            = 3
	NVSHMEMX_ERROR_SYMMETRY                 = 4
	NVSHMEMX_ERROR_GPU_NOT_SELECTED         = 5
	NVSHMEMX_ERROR_COLLECTIVE_LAUNCH_FAILED = 6
	NVSHMEMX_ERROR_INTERNAL                 = 7
)

// What is done with a signal, and how one is compared. The comparisons are not in
// OpenSHMEM's order, nor in rocSHMEM's.
const (
	NVSHMEM_SIGNAL_SET = 9
	NVSHMEM_SIGNAL_ADD = 10
	NVSHMEM_CMP_EQ     = 0
	NVSHMEM_CMP_NE     = 1
	NVSHMEM_CMP_GT     = 2
	NVSHMEM_CMP_LE     = 3
	NVSHMEM_CMP_LT     = 4
	NVSHMEM_CMP_GE     = 5
)

// Teams that are always there.
const (
	NVSHMEM_TEAM_WORLD = 0
)

// The first words of structs: their version, and their size in the lower half. The first
// versions are understood by all releases; the second ones, since 3.5, have a device's
// number where a zero is device 0.
const (
	NVSHMEMX_INIT_ATTR_V1     = 65680
	NVSHMEMX_INIT_ARGS_V1     = 65664
	NVSHMEMX_UNIQUEID_ARGS_V1 = 65560
	NVSHMEMX_UNIQUEID_V1      = 65664
)
