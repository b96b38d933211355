// Package ucx has the numbers and structs of UCX under their own names, as a reader of its
// documents knows them.
//
// Origin: the headers of UCX 1.13.1 as Debian has them. Structs begin with a mask of the
// fields that are set, and later versions add fields behind, so that these are right for
// all of version 1. The tests compare them with what a C program printed that includes
// those headers.
package ucx

// What functions return: ucs_status_t, one byte. A pointer that is returned is such a
// status too when it is one of the last -UCS_ERR_LAST addresses.
const (
	UCS_OK                    = 0
	UCS_INPROGRESS            = 1
	UCS_ERR_NO_MESSAGE        = -1
	UCS_ERR_NO_RESOURCE       = -2
	UCS_ERR_NO_MEMORY         = -4
	UCS_ERR_INVALID_PARAM     = -5
	UCS_ERR_UNREACHABLE       = -6
	UCS_ERR_NOT_IMPLEMENTED   = -8
	UCS_ERR_MESSAGE_TRUNCATED = -9
	UCS_ERR_NO_DEVICE         = -14
	UCS_ERR_BUSY              = -15
	UCS_ERR_CANCELED          = -16
	UCS_ERR_TIMED_OUT         = -20
	UCS_ERR_UNSUPPORTED       = -22
	UCS_ERR_REJECTED          = -23
	UCS_ERR_NOT_CONNECTED     = -24
	UCS_ERR_CONNECTION_RESET  = -25
	UCS_ERR_ENDPOINT_TIMEOUT  = -80
	UCS_ERR_LAST              = -100
)

// How threads use a worker, and what kind of memory it is.
const (
	UCS_THREAD_MODE_SERIALIZED = 1
	UCS_THREAD_MODE_MULTI      = 2
	UCS_MEMORY_TYPE_HOST       = 0
)

// Of ucp_params_t: which fields are set, and what is asked for.
const (
	UCP_PARAM_FIELD_FEATURES          = 1
	UCP_PARAM_FIELD_MT_WORKERS_SHARED = 32
	UCP_PARAM_FIELD_ESTIMATED_NUM_EPS = 64
	UCP_FEATURE_TAG                   = 1
	UCP_FEATURE_RMA                   = 2
	UCP_FEATURE_AMO32                 = 4
	UCP_FEATURE_AMO64                 = 8
	UCP_FEATURE_WAKEUP                = 16
)

// Of ucp_worker_params_t.
const (
	UCP_WORKER_PARAM_FIELD_THREAD_MODE  = 1
	UCP_WORKER_PARAM_FIELD_EVENTS       = 4
	UCP_WORKER_PARAM_FIELD_FLAGS        = 32
	UCP_WORKER_FLAG_IGNORE_REQUEST_LEAK = 1
	UCP_WAKEUP_RMA                      = 1
	UCP_WAKEUP_AMO                      = 2
	UCP_WAKEUP_TAG_SEND                 = 4
	UCP_WAKEUP_TAG_RECV                 = 8
	UCP_WAKEUP_TX                       = 1024
	UCP_WAKEUP_RX                       = 2048
)

// Of ucp_ep_params_t, and how an endpoint is closed.
const (
	UCP_EP_PARAM_FIELD_REMOTE_ADDRESS    = 1
	UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE = 2
	UCP_EP_PARAM_FIELD_ERR_HANDLER       = 4
	UCP_ERR_HANDLING_MODE_NONE           = 0
	UCP_ERR_HANDLING_MODE_PEER           = 1
	UCP_EP_CLOSE_FLAG_FORCE              = 1
)

// Of ucp_mem_map_params_t and ucp_mem_attr_t.
const (
	UCP_MEM_MAP_PARAM_FIELD_ADDRESS     = 1
	UCP_MEM_MAP_PARAM_FIELD_LENGTH      = 2
	UCP_MEM_MAP_PARAM_FIELD_FLAGS       = 4
	UCP_MEM_MAP_PARAM_FIELD_MEMORY_TYPE = 16
	UCP_MEM_MAP_ALLOCATE                = 2
	UCP_MEM_ATTR_FIELD_ADDRESS          = 1
	UCP_MEM_ATTR_FIELD_LENGTH           = 2
)

// Of ucp_request_param_t.
const (
	UCP_OP_ATTR_FIELD_DATATYPE     = 8
	UCP_OP_ATTR_FIELD_FLAGS        = 16
	UCP_OP_ATTR_FIELD_REPLY_BUFFER = 32
	UCP_OP_ATTR_FIELD_MEMORY_TYPE  = 64
)

// What ucp_atomic_op_nbx does. Those that store nothing back have no swap.
const (
	UCP_ATOMIC_OP_ADD   = 0
	UCP_ATOMIC_OP_SWAP  = 1
	UCP_ATOMIC_OP_CSWAP = 2
	UCP_ATOMIC_OP_AND   = 3
	UCP_ATOMIC_OP_OR    = 4
	UCP_ATOMIC_OP_XOR   = 5
)
