# Made by internal/shimgen from its table.txt: edit that.

set(PROBES get_backend_type signal_set_on_stream signal_add_on_stream)
set(PROBE_get_backend_type "BackendType (*probe)() = &rocshmem::get_backend_type;")
set(PROBE_signal_set_on_stream "void (*probe)(uint64_t *, uint64_t, int, hipStream_t) = &rocshmem::rocshmem_signal_set_on_stream;")
set(PROBE_signal_add_on_stream "void (*probe)(uint64_t *, uint64_t, int, hipStream_t) = &rocshmem::rocshmem_signal_add_on_stream;")
