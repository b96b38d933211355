package ucx

// Params is ucp_params_t.
type Params struct {
	FieldMask       uint64
	Features        uint64
	_               [4]uint64 // request_size, request_init, request_cleanup, tag_sender_mask
	MTWorkersShared int32
	_               int32
	EstimatedNumEPs uint64
	_               [2]uint64 // estimated_num_ppn, name
}

// WorkerParams is ucp_worker_params_t.
type WorkerParams struct {
	FieldMask  uint64
	ThreadMode int32
	_          int32
	_          [16]uint64 // cpu_mask
	Events     uint32
	_          int32
	_          [2]uint64 // user_data, event_fd
	Flags      uint64
	_          [3]uint64 // name, am_alignment, client_id
}

// ErrHandler is ucp_err_handler_t.
type ErrHandler struct {
	CB  uintptr
	Arg uintptr
}

// EPParams is ucp_ep_params_t.
type EPParams struct {
	FieldMask  uint64
	Address    uintptr
	ErrMode    int32
	_          int32
	ErrHandler ErrHandler
	_          [8]uint64 // user_data, flags, sockaddr, conn_request, name, local_sockaddr
}

// MemMapParams is ucp_mem_map_params_t.
type MemMapParams struct {
	FieldMask  uint64
	Address    uintptr
	Length     uintptr
	Flags      uint32
	Prot       uint32
	MemoryType int32
	_          int32
}

// MemAttr is ucp_mem_attr_t.
type MemAttr struct {
	FieldMask uint64
	Address   uintptr
	Length    uintptr
	_         uint64 // mem_type
}

// RequestParam is ucp_request_param_t.
type RequestParam struct {
	OpAttrMask  uint32
	Flags       uint32
	_           [2]uint64 // request, cb
	Datatype    uint64
	_           uint64 // user_data
	ReplyBuffer uintptr
	MemoryType  int32
	_           int32
	_           [2]uint64 // recv_info, memh
}

// TagRecvInfo is ucp_tag_recv_info_t.
type TagRecvInfo struct {
	SenderTag uint64
	Length    uint64
}

// Contig is ucp_dt_make_contig: the datatype of elements of so many bytes.
func Contig(size uint64) uint64 { return size << 3 }
