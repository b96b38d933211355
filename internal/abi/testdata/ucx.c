/* Prints the numbers of package internal/abi/ucx as UCX's headers have them. The test
 * compiles and runs it where the headers are (Debian: libucx-dev); the golden file is
 * what it printed with those of 1.13.1:
 *
 *   cc -o /tmp/numbers internal/abi/testdata/ucx.c
 *   /tmp/numbers > internal/abi/testdata/ucx.golden */
#include <stddef.h>
#include <stdio.h>
#include <ucp/api/ucp.h>

#define P(x) printf("%s %lld\n", #x, (long long)(x))

static void numbers(void) {
	P(UCS_OK);
	P(UCS_INPROGRESS);
	P(UCS_ERR_NO_MESSAGE);
	P(UCS_ERR_NO_RESOURCE);
	P(UCS_ERR_NO_MEMORY);
	P(UCS_ERR_INVALID_PARAM);
	P(UCS_ERR_UNREACHABLE);
	P(UCS_ERR_NOT_IMPLEMENTED);
	P(UCS_ERR_MESSAGE_TRUNCATED);
	P(UCS_ERR_NO_DEVICE);
	P(UCS_ERR_BUSY);
	P(UCS_ERR_CANCELED);
	P(UCS_ERR_TIMED_OUT);
	P(UCS_ERR_UNSUPPORTED);
	P(UCS_ERR_REJECTED);
	P(UCS_ERR_NOT_CONNECTED);
	P(UCS_ERR_CONNECTION_RESET);
	P(UCS_ERR_ENDPOINT_TIMEOUT);
	P(UCS_ERR_LAST);
	P(UCS_THREAD_MODE_SERIALIZED);
	P(UCS_THREAD_MODE_MULTI);
	P(UCS_MEMORY_TYPE_HOST);
	P(UCP_PARAM_FIELD_FEATURES);
	P(UCP_PARAM_FIELD_MT_WORKERS_SHARED);
	P(UCP_PARAM_FIELD_ESTIMATED_NUM_EPS);
	P(UCP_FEATURE_TAG);
	P(UCP_FEATURE_RMA);
	P(UCP_FEATURE_AMO32);
	P(UCP_FEATURE_AMO64);
	P(UCP_FEATURE_WAKEUP);
	P(UCP_WORKER_PARAM_FIELD_THREAD_MODE);
	P(UCP_WORKER_PARAM_FIELD_EVENTS);
	P(UCP_WORKER_PARAM_FIELD_FLAGS);
	P(UCP_WORKER_FLAG_IGNORE_REQUEST_LEAK);
	P(UCP_WAKEUP_RMA);
	P(UCP_WAKEUP_AMO);
	P(UCP_WAKEUP_TAG_SEND);
	P(UCP_WAKEUP_TAG_RECV);
	P(UCP_WAKEUP_TX);
	P(UCP_WAKEUP_RX);
	P(UCP_EP_PARAM_FIELD_REMOTE_ADDRESS);
	P(UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE);
	P(UCP_EP_PARAM_FIELD_ERR_HANDLER);
	P(UCP_ERR_HANDLING_MODE_NONE);
	P(UCP_ERR_HANDLING_MODE_PEER);
	P(UCP_EP_CLOSE_FLAG_FORCE);
	P(UCP_MEM_MAP_PARAM_FIELD_ADDRESS);
	P(UCP_MEM_MAP_PARAM_FIELD_LENGTH);
	P(UCP_MEM_MAP_PARAM_FIELD_FLAGS);
	P(UCP_MEM_MAP_PARAM_FIELD_MEMORY_TYPE);
	P(UCP_MEM_MAP_ALLOCATE);
	P(UCP_MEM_ATTR_FIELD_ADDRESS);
	P(UCP_MEM_ATTR_FIELD_LENGTH);
	P(UCP_OP_ATTR_FIELD_DATATYPE);
	P(UCP_OP_ATTR_FIELD_FLAGS);
	P(UCP_OP_ATTR_FIELD_REPLY_BUFFER);
	P(UCP_OP_ATTR_FIELD_MEMORY_TYPE);
	P(UCP_ATOMIC_OP_ADD);
	P(UCP_ATOMIC_OP_SWAP);
	P(UCP_ATOMIC_OP_CSWAP);
	P(UCP_ATOMIC_OP_AND);
	P(UCP_ATOMIC_OP_OR);
	P(UCP_ATOMIC_OP_XOR);
}

static void layouts(void) {
	P(sizeof(ucs_status_t));
	P(ucp_dt_make_contig(1));
	P(ucp_dt_make_contig(4));
	P(ucp_dt_make_contig(8));
	P(sizeof(ucp_params_t));
	P(offsetof(ucp_params_t, features));
	P(offsetof(ucp_params_t, mt_workers_shared));
	P(offsetof(ucp_params_t, estimated_num_eps));
	P(sizeof(ucp_worker_params_t));
	P(offsetof(ucp_worker_params_t, thread_mode));
	P(offsetof(ucp_worker_params_t, events));
	P(offsetof(ucp_worker_params_t, flags));
	P(sizeof(ucp_ep_params_t));
	P(offsetof(ucp_ep_params_t, address));
	P(offsetof(ucp_ep_params_t, err_mode));
	P(offsetof(ucp_ep_params_t, err_handler));
	P(sizeof(ucp_err_handler_t));
	P(offsetof(ucp_err_handler_t, arg));
	P(sizeof(ucp_mem_map_params_t));
	P(offsetof(ucp_mem_map_params_t, address));
	P(offsetof(ucp_mem_map_params_t, length));
	P(offsetof(ucp_mem_map_params_t, flags));
	P(offsetof(ucp_mem_map_params_t, memory_type));
	P(sizeof(ucp_mem_attr_t));
	P(offsetof(ucp_mem_attr_t, address));
	P(offsetof(ucp_mem_attr_t, length));
	P(sizeof(ucp_request_param_t));
	P(offsetof(ucp_request_param_t, flags));
	P(offsetof(ucp_request_param_t, datatype));
	P(offsetof(ucp_request_param_t, reply_buffer));
	P(offsetof(ucp_request_param_t, memory_type));
	P(sizeof(ucp_tag_recv_info_t));
	P(offsetof(ucp_tag_recv_info_t, length));
}

int main(void) {
	numbers();
	layouts();
	return 0;
}
