/* Prints the numbers of package internal/abi/nvshmem as NVSHMEM's headers have them,
 * without a device library. Where the headers are:
 *
 *   cc -I"$NVSHMEM_HOME/include" -I"$CUDA_HOME/include" -o /tmp/numbers internal/abi/testdata/nvshmem.c
 *   /tmp/numbers > internal/abi/testdata/nvshmem.golden */
#include <nvshmem_host.h>
#include <stddef.h>
#include <stdio.h>

#define P(x) printf("%s %lld\n", #x, (long long)(x))
#define WORD(x, version, type) printf("%s %lld\n", #x, (long long)(((version) << 16) + sizeof(type)))

int main(void) {
	P(NVSHMEMX_INIT_WITH_UNIQUEID);
	P(NVSHMEM_STATUS_NOT_INITIALIZED);
	P(NVSHMEM_STATUS_IS_BOOTSTRAPPED);
	P(NVSHMEM_STATUS_IS_INITIALIZED);
	P(NVSHMEM_STATUS_LIMITED_MPG);
	P(NVSHMEM_STATUS_FULL_MPG);
	P(NVSHMEMX_SUCCESS);
	P(NVSHMEMX_ERROR_INVALID_VALUE);
	P(NVSHMEMX_ERROR_OUT_OF_MEMORY);
	P(NVSHMEMX_ERROR_NOT_SUPPORTED);
	P(NVSHMEMX_ERROR_SYMMETRY);
	P(NVSHMEMX_ERROR_GPU_NOT_SELECTED);
	P(NVSHMEMX_ERROR_COLLECTIVE_LAUNCH_FAILED);
	P(NVSHMEMX_ERROR_INTERNAL);
	P(NVSHMEM_SIGNAL_SET);
	P(NVSHMEM_SIGNAL_ADD);
	P(NVSHMEM_CMP_EQ);
	P(NVSHMEM_CMP_NE);
	P(NVSHMEM_CMP_GT);
	P(NVSHMEM_CMP_LE);
	P(NVSHMEM_CMP_LT);
	P(NVSHMEM_CMP_GE);
	P(NVSHMEM_TEAM_WORLD);
	WORD(NVSHMEMX_INIT_ATTR_V1, 1, nvshmemx_init_attr_t);
	WORD(NVSHMEMX_INIT_ARGS_V1, 1, nvshmemx_init_args_t);
	WORD(NVSHMEMX_UNIQUEID_ARGS_V1, 1, nvshmemx_uniqueid_args_t);
	WORD(NVSHMEMX_UNIQUEID_V1, 1, nvshmemx_uniqueid_t);
	P(sizeof(nvshmem_team_t));
	P(sizeof(nvshmemx_uniqueid_t));
	P(offsetof(nvshmemx_uniqueid_t, internal));
	P(sizeof(nvshmemx_uniqueid_args_t));
	P(offsetof(nvshmemx_uniqueid_args_t, id));
	P(offsetof(nvshmemx_uniqueid_args_t, myrank));
	P(offsetof(nvshmemx_uniqueid_args_t, nranks));
	P(sizeof(nvshmemx_init_args_t));
	P(offsetof(nvshmemx_init_args_t, uid_args));
	P(offsetof(nvshmemx_init_args_t, content));
	P(sizeof(nvshmemx_init_attr_t));
	P(offsetof(nvshmemx_init_attr_t, mpi_comm));
	P(offsetof(nvshmemx_init_attr_t, args));
	return 0;
}
