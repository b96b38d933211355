/* Made by internal/shimgen from its table.txt: edit that.*/

int goshmem_rocshmem_table(void) { return TABLE + 1714028573; }

int goshmem_rocshmem_about_text(char *out, uint64_t size)
{
	word a[] = {(word)out, (word)size};
	if (!enter("about_text", "xn", a)) return 0;
	out = (char *)a[0];
	size = (uint64_t)a[1];
	return mock_about(out, size);
}

void goshmem_rocshmem_set_device(int number)
{
	word a[] = {(word)number};
	if (!enter("set_device", "i", a)) return;
	number = (int)a[0];
	mock_set_device(number);
}

int goshmem_rocshmem_get_uniqueid(unsigned char *uid)
{
	word a[] = {(word)uid};
	if (!enter("get_uniqueid", "x", a)) return 0;
	uid = (unsigned char *)a[0];
	return mock_get_uniqueid(uid);
}

int goshmem_rocshmem_start(int rank, int nranks, unsigned char *uid)
{
	word a[] = {(word)rank, (word)nranks, (word)uid};
	if (!enter("start", "iix", a)) return 0;
	rank = (int)a[0];
	nranks = (int)a[1];
	uid = (unsigned char *)a[2];
	return mock_start(rank, nranks, uid);
}

void goshmem_rocshmem_finalize(void)
{
	word a[] = {0};
	if (!enter("finalize", "", a)) return;
	mock_finalize();
}

int goshmem_rocshmem_my_pe(void)
{
	word a[] = {0};
	if (!enter("my_pe", "", a)) return 0;
	return me();
}

int goshmem_rocshmem_n_pes(void)
{
	word a[] = {0};
	if (!enter("n_pes", "", a)) return 0;
	return size();
}

void goshmem_rocshmem_vendor_get_version_info(int *major, int *minor, int *patch)
{
	word a[] = {(word)major, (word)minor, (word)patch};
	if (!enter("vendor_get_version_info", "xxx", a)) return;
	major = (int *)a[0];
	minor = (int *)a[1];
	patch = (int *)a[2];
	mock_version(major, minor, patch);
}

#ifndef OLD
int goshmem_rocshmem_get_backend_type(void)
{
	word a[] = {0};
	if (!enter("get_backend_type", "", a)) return 0;
	return mock_backend();
}
#endif

int goshmem_rocshmem_hipmodule_init(void *module, void *stream)
{
	word a[] = {(word)module, (word)stream};
	if (!enter("hipmodule_init", "xs", a)) return 0;
	module = (void *)a[0];
	stream = (void *)a[1];
	return 0;
}

void goshmem_rocshmem_global_exit(int status)
{
	word a[] = {(word)status};
	if (!enter("global_exit", "i", a)) return;
	status = (int)a[0];
	mock_exit(status);
}

void *goshmem_rocshmem_malloc(uint64_t size)
{
	word a[] = {(word)size};
	if (!enter("malloc", "n", a)) return 0;
	size = (uint64_t)a[0];
	return mock_malloc(size);
}

void *goshmem_rocshmem_align(uint64_t alignment, uint64_t size)
{
	word a[] = {(word)alignment, (word)size};
	if (!enter("align", "nn", a)) return 0;
	alignment = (uint64_t)a[0];
	size = (uint64_t)a[1];
	return mock_align(alignment, size);
}

void goshmem_rocshmem_free(void *ptr)
{
	word a[] = {(word)ptr};
	if (!enter("free", "S", a)) return;
	ptr = (void *)a[0];
	mock_free(ptr);
}

void *goshmem_rocshmem_ptr(const void *dest, int pe)
{
	word a[] = {(word)dest, (word)pe};
	if (!enter("ptr", "Sp", a)) return 0;
	dest = (const void *)a[0];
	pe = (int)a[1];
	return mock_ptr(dest, pe);
}

int goshmem_rocshmem_buffer_register(void *addr, uint64_t length)
{
	word a[] = {(word)addr, (word)length};
	if (!enter("buffer_register", "mn", a)) return 0;
	addr = (void *)a[0];
	length = (uint64_t)a[1];
	return mock_register(addr, length);
}

int goshmem_rocshmem_buffer_unregister(void *addr)
{
	word a[] = {(word)addr};
	if (!enter("buffer_unregister", "m", a)) return 0;
	addr = (void *)a[0];
	return mock_unregister(addr);
}

void goshmem_rocshmem_putmem(void *dest, const void *source, uint64_t nbytes, int pe)
{
	word a[] = {(word)dest, (word)source, (word)nbytes, (word)pe};
	if (!enter("putmem", "SLnp", a)) return;
	dest = (void *)a[0];
	source = (const void *)a[1];
	nbytes = (uint64_t)a[2];
	pe = (int)a[3];
	move(at(dest, pe), source, nbytes);
}

void goshmem_rocshmem_getmem(void *dest, const void *source, uint64_t nbytes, int pe)
{
	word a[] = {(word)dest, (word)source, (word)nbytes, (word)pe};
	if (!enter("getmem", "LSnp", a)) return;
	dest = (void *)a[0];
	source = (const void *)a[1];
	nbytes = (uint64_t)a[2];
	pe = (int)a[3];
	move(dest, at(source, pe), nbytes);
}

void goshmem_rocshmem_putmem_nbi(void *dest, const void *source, uint64_t nbytes, int pe)
{
	word a[] = {(word)dest, (word)source, (word)nbytes, (word)pe};
	if (!enter("putmem_nbi", "SLnp", a)) return;
	dest = (void *)a[0];
	source = (const void *)a[1];
	nbytes = (uint64_t)a[2];
	pe = (int)a[3];
	move(at(dest, pe), source, nbytes);
}

void goshmem_rocshmem_getmem_nbi(void *dest, const void *source, uint64_t nbytes, int pe)
{
	word a[] = {(word)dest, (word)source, (word)nbytes, (word)pe};
	if (!enter("getmem_nbi", "LSnp", a)) return;
	dest = (void *)a[0];
	source = (const void *)a[1];
	nbytes = (uint64_t)a[2];
	pe = (int)a[3];
	move(dest, at(source, pe), nbytes);
}

void goshmem_rocshmem_putmem_on_stream(void *dest, const void *source, uint64_t nbytes, int pe, void *stream)
{
	word a[] = {(word)dest, (word)source, (word)nbytes, (word)pe, (word)stream};
	if (!enter("putmem_on_stream", "SLnps", a)) return;
	dest = (void *)a[0];
	source = (const void *)a[1];
	nbytes = (uint64_t)a[2];
	pe = (int)a[3];
	stream = (void *)a[4];
	move(at(dest, pe), source, nbytes);
}

void goshmem_rocshmem_getmem_on_stream(void *dest, const void *source, uint64_t nbytes, int pe, void *stream)
{
	word a[] = {(word)dest, (word)source, (word)nbytes, (word)pe, (word)stream};
	if (!enter("getmem_on_stream", "LSnps", a)) return;
	dest = (void *)a[0];
	source = (const void *)a[1];
	nbytes = (uint64_t)a[2];
	pe = (int)a[3];
	stream = (void *)a[4];
	move(dest, at(source, pe), nbytes);
}

void goshmem_rocshmem_fence(void)
{
	word a[] = {0};
	if (!enter("fence", "", a)) return;
	(void)0;
}

void goshmem_rocshmem_quiet(void)
{
	word a[] = {0};
	if (!enter("quiet", "", a)) return;
	(void)0;
}

void goshmem_rocshmem_quiet_on_stream(void *stream)
{
	word a[] = {(word)stream};
	if (!enter("quiet_on_stream", "s", a)) return;
	stream = (void *)a[0];
	(void)0;
}

void goshmem_rocshmem_putmem_signal_on_stream(void *dest, const void *source, uint64_t nbytes, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe, void *stream)
{
	word a[] = {(word)dest, (word)source, (word)nbytes, (word)sig_addr, (word)signal, (word)sig_op, (word)pe, (word)stream};
	if (!enter("putmem_signal_on_stream", "SLnWvops", a)) return;
	dest = (void *)a[0];
	source = (const void *)a[1];
	nbytes = (uint64_t)a[2];
	sig_addr = (uint64_t *)a[3];
	signal = (uint64_t)a[4];
	sig_op = (int)a[5];
	pe = (int)a[6];
	stream = (void *)a[7];
	put_signal(at(dest, pe), source, nbytes, at(sig_addr, pe), signal, sig_op);
}

void goshmem_rocshmem_signal_wait_until_on_stream(uint64_t *sig_addr, int cmp, uint64_t value, void *stream)
{
	word a[] = {(word)sig_addr, (word)cmp, (word)value, (word)stream};
	if (!enter("signal_wait_until_on_stream", "Wcvs", a)) return;
	sig_addr = (uint64_t *)a[0];
	cmp = (int)a[1];
	value = (uint64_t)a[2];
	stream = (void *)a[3];
	wait_until(sig_addr, cmp, value);
}

#ifndef OLD
void goshmem_rocshmem_signal_set_on_stream(uint64_t *sig_addr, uint64_t signal, int pe, void *stream)
{
	word a[] = {(word)sig_addr, (word)signal, (word)pe, (word)stream};
	if (!enter("signal_set_on_stream", "Wvps", a)) return;
	sig_addr = (uint64_t *)a[0];
	signal = (uint64_t)a[1];
	pe = (int)a[2];
	stream = (void *)a[3];
	signal_op(at(sig_addr, pe), signal, 0);
}
#endif

#ifndef OLD
void goshmem_rocshmem_signal_add_on_stream(uint64_t *sig_addr, uint64_t signal, int pe, void *stream)
{
	word a[] = {(word)sig_addr, (word)signal, (word)pe, (word)stream};
	if (!enter("signal_add_on_stream", "Wvps", a)) return;
	sig_addr = (uint64_t *)a[0];
	signal = (uint64_t)a[1];
	pe = (int)a[2];
	stream = (void *)a[3];
	signal_op(at(sig_addr, pe), signal, 1);
}
#endif

void goshmem_rocshmem_barrier_all(void)
{
	word a[] = {0};
	if (!enter("barrier_all", "", a)) return;
	mock_sync(0);
}

void goshmem_rocshmem_barrier_all_on_stream(void *stream)
{
	word a[] = {(word)stream};
	if (!enter("barrier_all_on_stream", "s", a)) return;
	stream = (void *)a[0];
	mock_sync(0);
}

void goshmem_rocshmem_sync_all_on_stream(void *stream)
{
	word a[] = {(word)stream};
	if (!enter("sync_all_on_stream", "s", a)) return;
	stream = (void *)a[0];
	mock_sync(0);
}

void goshmem_rocshmem_barrier_on_stream(void *team, void *stream)
{
	word a[] = {(word)team, (word)stream};
	if (!enter("barrier_on_stream", "Ts", a)) return;
	team = (void *)a[0];
	stream = (void *)a[1];
	mock_sync(team);
}

void goshmem_rocshmem_team_sync_on_stream(void *team, void *stream)
{
	word a[] = {(word)team, (word)stream};
	if (!enter("team_sync_on_stream", "Ts", a)) return;
	team = (void *)a[0];
	stream = (void *)a[1];
	mock_sync(team);
}

void *goshmem_rocshmem_team_world(void)
{
	word a[] = {0};
	if (!enter("team_world", "", a)) return 0;
	return mock_world();
}

void *goshmem_rocshmem_team_split(void *parent, int start, int stride, int size)
{
	word a[] = {(word)parent, (word)start, (word)stride, (word)size};
	if (!enter("team_split", "Tiii", a)) return 0;
	parent = (void *)a[0];
	start = (int)a[1];
	stride = (int)a[2];
	size = (int)a[3];
	return mock_split(parent, start, stride, size);
}

void goshmem_rocshmem_team_destroy(void *team)
{
	word a[] = {(word)team};
	if (!enter("team_destroy", "T", a)) return;
	team = (void *)a[0];
	mock_destroy(team);
}

int goshmem_rocshmem_team_my_pe(void *team)
{
	word a[] = {(word)team};
	if (!enter("team_my_pe", "T", a)) return 0;
	team = (void *)a[0];
	return mock_team_my_pe(team);
}

int goshmem_rocshmem_team_n_pes(void *team)
{
	word a[] = {(word)team};
	if (!enter("team_n_pes", "T", a)) return 0;
	team = (void *)a[0];
	return mock_team_n_pes(team);
}

void goshmem_rocshmem_alltoallmem_on_stream(void *team, void *dest, const void *source, uint64_t size, void *stream)
{
	word a[] = {(word)team, (word)dest, (word)source, (word)size, (word)stream};
	if (!enter("alltoallmem_on_stream", "TSSns", a)) return;
	team = (void *)a[0];
	dest = (void *)a[1];
	source = (const void *)a[2];
	size = (uint64_t)a[3];
	stream = (void *)a[4];
	mock_alltoall(team, dest, source, size);
}

void goshmem_rocshmem_broadcastmem_on_stream(void *team, void *dest, const void *source, uint64_t nbytes, int pe_root, void *stream)
{
	word a[] = {(word)team, (word)dest, (word)source, (word)nbytes, (word)pe_root, (word)stream};
	if (!enter("broadcastmem_on_stream", "TSSnrs", a)) return;
	team = (void *)a[0];
	dest = (void *)a[1];
	source = (const void *)a[2];
	nbytes = (uint64_t)a[3];
	pe_root = (int)a[4];
	stream = (void *)a[5];
	mock_broadcast(team, dest, source, nbytes, pe_root);
}

int goshmem_rocshmem_ctx_short_sum_reduce_on_stream(void *team, void *dest, const void *source, int nreduce, void *stream)
{
	word a[] = {(word)team, (word)dest, (word)source, (word)nreduce, (word)stream};
	if (!enter("ctx_short_sum_reduce_on_stream", "TSSis", a)) return 0;
	team = (void *)a[0];
	dest = (void *)a[1];
	source = (const void *)a[2];
	nreduce = (int)a[3];
	stream = (void *)a[4];
	return mock_reduce(R_SUM, K_SHORT, team, dest, source, nreduce);
}

int goshmem_rocshmem_ctx_short_prod_reduce_on_stream(void *team, void *dest, const void *source, int nreduce, void *stream)
{
	word a[] = {(word)team, (word)dest, (word)source, (word)nreduce, (word)stream};
	if (!enter("ctx_short_prod_reduce_on_stream", "TSSis", a)) return 0;
	team = (void *)a[0];
	dest = (void *)a[1];
	source = (const void *)a[2];
	nreduce = (int)a[3];
	stream = (void *)a[4];
	return mock_reduce(R_PROD, K_SHORT, team, dest, source, nreduce);
}

int goshmem_rocshmem_ctx_short_min_reduce_on_stream(void *team, void *dest, const void *source, int nreduce, void *stream)
{
	word a[] = {(word)team, (word)dest, (word)source, (word)nreduce, (word)stream};
	if (!enter("ctx_short_min_reduce_on_stream", "TSSis", a)) return 0;
	team = (void *)a[0];
	dest = (void *)a[1];
	source = (const void *)a[2];
	nreduce = (int)a[3];
	stream = (void *)a[4];
	return mock_reduce(R_MIN, K_SHORT, team, dest, source, nreduce);
}

int goshmem_rocshmem_ctx_short_max_reduce_on_stream(void *team, void *dest, const void *source, int nreduce, void *stream)
{
	word a[] = {(word)team, (word)dest, (word)source, (word)nreduce, (word)stream};
	if (!enter("ctx_short_max_reduce_on_stream", "TSSis", a)) return 0;
	team = (void *)a[0];
	dest = (void *)a[1];
	source = (const void *)a[2];
	nreduce = (int)a[3];
	stream = (void *)a[4];
	return mock_reduce(R_MAX, K_SHORT, team, dest, source, nreduce);
}

int goshmem_rocshmem_ctx_int_sum_reduce_on_stream(void *team, void *dest, const void *source, int nreduce, void *stream)
{
	word a[] = {(word)team, (word)dest, (word)source, (word)nreduce, (word)stream};
	if (!enter("ctx_int_sum_reduce_on_stream", "TSSis", a)) return 0;
	team = (void *)a[0];
	dest = (void *)a[1];
	source = (const void *)a[2];
	nreduce = (int)a[3];
	stream = (void *)a[4];
	return mock_reduce(R_SUM, K_INT, team, dest, source, nreduce);
}

int goshmem_rocshmem_ctx_int_prod_reduce_on_stream(void *team, void *dest, const void *source, int nreduce, void *stream)
{
	word a[] = {(word)team, (word)dest, (word)source, (word)nreduce, (word)stream};
	if (!enter("ctx_int_prod_reduce_on_stream", "TSSis", a)) return 0;
	team = (void *)a[0];
	dest = (void *)a[1];
	source = (const void *)a[2];
	nreduce = (int)a[3];
	stream = (void *)a[4];
	return mock_reduce(R_PROD, K_INT, team, dest, source, nreduce);
}

int goshmem_rocshmem_ctx_int_min_reduce_on_stream(void *team, void *dest, const void *source, int nreduce, void *stream)
{
	word a[] = {(word)team, (word)dest, (word)source, (word)nreduce, (word)stream};
	if (!enter("ctx_int_min_reduce_on_stream", "TSSis", a)) return 0;
	team = (void *)a[0];
	dest = (void *)a[1];
	source = (const void *)a[2];
	nreduce = (int)a[3];
	stream = (void *)a[4];
	return mock_reduce(R_MIN, K_INT, team, dest, source, nreduce);
}

int goshmem_rocshmem_ctx_int_max_reduce_on_stream(void *team, void *dest, const void *source, int nreduce, void *stream)
{
	word a[] = {(word)team, (word)dest, (word)source, (word)nreduce, (word)stream};
	if (!enter("ctx_int_max_reduce_on_stream", "TSSis", a)) return 0;
	team = (void *)a[0];
	dest = (void *)a[1];
	source = (const void *)a[2];
	nreduce = (int)a[3];
	stream = (void *)a[4];
	return mock_reduce(R_MAX, K_INT, team, dest, source, nreduce);
}

int goshmem_rocshmem_ctx_long_sum_reduce_on_stream(void *team, void *dest, const void *source, int nreduce, void *stream)
{
	word a[] = {(word)team, (word)dest, (word)source, (word)nreduce, (word)stream};
	if (!enter("ctx_long_sum_reduce_on_stream", "TSSis", a)) return 0;
	team = (void *)a[0];
	dest = (void *)a[1];
	source = (const void *)a[2];
	nreduce = (int)a[3];
	stream = (void *)a[4];
	return mock_reduce(R_SUM, K_LONG, team, dest, source, nreduce);
}

int goshmem_rocshmem_ctx_long_prod_reduce_on_stream(void *team, void *dest, const void *source, int nreduce, void *stream)
{
	word a[] = {(word)team, (word)dest, (word)source, (word)nreduce, (word)stream};
	if (!enter("ctx_long_prod_reduce_on_stream", "TSSis", a)) return 0;
	team = (void *)a[0];
	dest = (void *)a[1];
	source = (const void *)a[2];
	nreduce = (int)a[3];
	stream = (void *)a[4];
	return mock_reduce(R_PROD, K_LONG, team, dest, source, nreduce);
}

int goshmem_rocshmem_ctx_long_min_reduce_on_stream(void *team, void *dest, const void *source, int nreduce, void *stream)
{
	word a[] = {(word)team, (word)dest, (word)source, (word)nreduce, (word)stream};
	if (!enter("ctx_long_min_reduce_on_stream", "TSSis", a)) return 0;
	team = (void *)a[0];
	dest = (void *)a[1];
	source = (const void *)a[2];
	nreduce = (int)a[3];
	stream = (void *)a[4];
	return mock_reduce(R_MIN, K_LONG, team, dest, source, nreduce);
}

int goshmem_rocshmem_ctx_long_max_reduce_on_stream(void *team, void *dest, const void *source, int nreduce, void *stream)
{
	word a[] = {(word)team, (word)dest, (word)source, (word)nreduce, (word)stream};
	if (!enter("ctx_long_max_reduce_on_stream", "TSSis", a)) return 0;
	team = (void *)a[0];
	dest = (void *)a[1];
	source = (const void *)a[2];
	nreduce = (int)a[3];
	stream = (void *)a[4];
	return mock_reduce(R_MAX, K_LONG, team, dest, source, nreduce);
}

int goshmem_rocshmem_ctx_float_sum_reduce_on_stream(void *team, void *dest, const void *source, int nreduce, void *stream)
{
	word a[] = {(word)team, (word)dest, (word)source, (word)nreduce, (word)stream};
	if (!enter("ctx_float_sum_reduce_on_stream", "TSSis", a)) return 0;
	team = (void *)a[0];
	dest = (void *)a[1];
	source = (const void *)a[2];
	nreduce = (int)a[3];
	stream = (void *)a[4];
	return mock_reduce(R_SUM, K_FLOAT, team, dest, source, nreduce);
}

int goshmem_rocshmem_ctx_float_prod_reduce_on_stream(void *team, void *dest, const void *source, int nreduce, void *stream)
{
	word a[] = {(word)team, (word)dest, (word)source, (word)nreduce, (word)stream};
	if (!enter("ctx_float_prod_reduce_on_stream", "TSSis", a)) return 0;
	team = (void *)a[0];
	dest = (void *)a[1];
	source = (const void *)a[2];
	nreduce = (int)a[3];
	stream = (void *)a[4];
	return mock_reduce(R_PROD, K_FLOAT, team, dest, source, nreduce);
}

int goshmem_rocshmem_ctx_float_min_reduce_on_stream(void *team, void *dest, const void *source, int nreduce, void *stream)
{
	word a[] = {(word)team, (word)dest, (word)source, (word)nreduce, (word)stream};
	if (!enter("ctx_float_min_reduce_on_stream", "TSSis", a)) return 0;
	team = (void *)a[0];
	dest = (void *)a[1];
	source = (const void *)a[2];
	nreduce = (int)a[3];
	stream = (void *)a[4];
	return mock_reduce(R_MIN, K_FLOAT, team, dest, source, nreduce);
}

int goshmem_rocshmem_ctx_float_max_reduce_on_stream(void *team, void *dest, const void *source, int nreduce, void *stream)
{
	word a[] = {(word)team, (word)dest, (word)source, (word)nreduce, (word)stream};
	if (!enter("ctx_float_max_reduce_on_stream", "TSSis", a)) return 0;
	team = (void *)a[0];
	dest = (void *)a[1];
	source = (const void *)a[2];
	nreduce = (int)a[3];
	stream = (void *)a[4];
	return mock_reduce(R_MAX, K_FLOAT, team, dest, source, nreduce);
}

int goshmem_rocshmem_ctx_double_sum_reduce_on_stream(void *team, void *dest, const void *source, int nreduce, void *stream)
{
	word a[] = {(word)team, (word)dest, (word)source, (word)nreduce, (word)stream};
	if (!enter("ctx_double_sum_reduce_on_stream", "TSSis", a)) return 0;
	team = (void *)a[0];
	dest = (void *)a[1];
	source = (const void *)a[2];
	nreduce = (int)a[3];
	stream = (void *)a[4];
	return mock_reduce(R_SUM, K_DOUBLE, team, dest, source, nreduce);
}

int goshmem_rocshmem_ctx_double_prod_reduce_on_stream(void *team, void *dest, const void *source, int nreduce, void *stream)
{
	word a[] = {(word)team, (word)dest, (word)source, (word)nreduce, (word)stream};
	if (!enter("ctx_double_prod_reduce_on_stream", "TSSis", a)) return 0;
	team = (void *)a[0];
	dest = (void *)a[1];
	source = (const void *)a[2];
	nreduce = (int)a[3];
	stream = (void *)a[4];
	return mock_reduce(R_PROD, K_DOUBLE, team, dest, source, nreduce);
}

int goshmem_rocshmem_ctx_double_min_reduce_on_stream(void *team, void *dest, const void *source, int nreduce, void *stream)
{
	word a[] = {(word)team, (word)dest, (word)source, (word)nreduce, (word)stream};
	if (!enter("ctx_double_min_reduce_on_stream", "TSSis", a)) return 0;
	team = (void *)a[0];
	dest = (void *)a[1];
	source = (const void *)a[2];
	nreduce = (int)a[3];
	stream = (void *)a[4];
	return mock_reduce(R_MIN, K_DOUBLE, team, dest, source, nreduce);
}

int goshmem_rocshmem_ctx_double_max_reduce_on_stream(void *team, void *dest, const void *source, int nreduce, void *stream)
{
	word a[] = {(word)team, (word)dest, (word)source, (word)nreduce, (word)stream};
	if (!enter("ctx_double_max_reduce_on_stream", "TSSis", a)) return 0;
	team = (void *)a[0];
	dest = (void *)a[1];
	source = (const void *)a[2];
	nreduce = (int)a[3];
	stream = (void *)a[4];
	return mock_reduce(R_MAX, K_DOUBLE, team, dest, source, nreduce);
}

int goshmem_rocshmem_ctx_short_and_reduce_on_stream(void *team, void *dest, const void *source, int nreduce, void *stream)
{
	word a[] = {(word)team, (word)dest, (word)source, (word)nreduce, (word)stream};
	if (!enter("ctx_short_and_reduce_on_stream", "TSSis", a)) return 0;
	team = (void *)a[0];
	dest = (void *)a[1];
	source = (const void *)a[2];
	nreduce = (int)a[3];
	stream = (void *)a[4];
	return mock_reduce(R_AND, K_SHORT, team, dest, source, nreduce);
}

int goshmem_rocshmem_ctx_short_or_reduce_on_stream(void *team, void *dest, const void *source, int nreduce, void *stream)
{
	word a[] = {(word)team, (word)dest, (word)source, (word)nreduce, (word)stream};
	if (!enter("ctx_short_or_reduce_on_stream", "TSSis", a)) return 0;
	team = (void *)a[0];
	dest = (void *)a[1];
	source = (const void *)a[2];
	nreduce = (int)a[3];
	stream = (void *)a[4];
	return mock_reduce(R_OR, K_SHORT, team, dest, source, nreduce);
}

int goshmem_rocshmem_ctx_short_xor_reduce_on_stream(void *team, void *dest, const void *source, int nreduce, void *stream)
{
	word a[] = {(word)team, (word)dest, (word)source, (word)nreduce, (word)stream};
	if (!enter("ctx_short_xor_reduce_on_stream", "TSSis", a)) return 0;
	team = (void *)a[0];
	dest = (void *)a[1];
	source = (const void *)a[2];
	nreduce = (int)a[3];
	stream = (void *)a[4];
	return mock_reduce(R_XOR, K_SHORT, team, dest, source, nreduce);
}

int goshmem_rocshmem_ctx_int_and_reduce_on_stream(void *team, void *dest, const void *source, int nreduce, void *stream)
{
	word a[] = {(word)team, (word)dest, (word)source, (word)nreduce, (word)stream};
	if (!enter("ctx_int_and_reduce_on_stream", "TSSis", a)) return 0;
	team = (void *)a[0];
	dest = (void *)a[1];
	source = (const void *)a[2];
	nreduce = (int)a[3];
	stream = (void *)a[4];
	return mock_reduce(R_AND, K_INT, team, dest, source, nreduce);
}

int goshmem_rocshmem_ctx_int_or_reduce_on_stream(void *team, void *dest, const void *source, int nreduce, void *stream)
{
	word a[] = {(word)team, (word)dest, (word)source, (word)nreduce, (word)stream};
	if (!enter("ctx_int_or_reduce_on_stream", "TSSis", a)) return 0;
	team = (void *)a[0];
	dest = (void *)a[1];
	source = (const void *)a[2];
	nreduce = (int)a[3];
	stream = (void *)a[4];
	return mock_reduce(R_OR, K_INT, team, dest, source, nreduce);
}

int goshmem_rocshmem_ctx_int_xor_reduce_on_stream(void *team, void *dest, const void *source, int nreduce, void *stream)
{
	word a[] = {(word)team, (word)dest, (word)source, (word)nreduce, (word)stream};
	if (!enter("ctx_int_xor_reduce_on_stream", "TSSis", a)) return 0;
	team = (void *)a[0];
	dest = (void *)a[1];
	source = (const void *)a[2];
	nreduce = (int)a[3];
	stream = (void *)a[4];
	return mock_reduce(R_XOR, K_INT, team, dest, source, nreduce);
}

int goshmem_rocshmem_ctx_long_and_reduce_on_stream(void *team, void *dest, const void *source, int nreduce, void *stream)
{
	word a[] = {(word)team, (word)dest, (word)source, (word)nreduce, (word)stream};
	if (!enter("ctx_long_and_reduce_on_stream", "TSSis", a)) return 0;
	team = (void *)a[0];
	dest = (void *)a[1];
	source = (const void *)a[2];
	nreduce = (int)a[3];
	stream = (void *)a[4];
	return mock_reduce(R_AND, K_LONG, team, dest, source, nreduce);
}

int goshmem_rocshmem_ctx_long_or_reduce_on_stream(void *team, void *dest, const void *source, int nreduce, void *stream)
{
	word a[] = {(word)team, (word)dest, (word)source, (word)nreduce, (word)stream};
	if (!enter("ctx_long_or_reduce_on_stream", "TSSis", a)) return 0;
	team = (void *)a[0];
	dest = (void *)a[1];
	source = (const void *)a[2];
	nreduce = (int)a[3];
	stream = (void *)a[4];
	return mock_reduce(R_OR, K_LONG, team, dest, source, nreduce);
}

int goshmem_rocshmem_ctx_long_xor_reduce_on_stream(void *team, void *dest, const void *source, int nreduce, void *stream)
{
	word a[] = {(word)team, (word)dest, (word)source, (word)nreduce, (word)stream};
	if (!enter("ctx_long_xor_reduce_on_stream", "TSSis", a)) return 0;
	team = (void *)a[0];
	dest = (void *)a[1];
	source = (const void *)a[2];
	nreduce = (int)a[3];
	stream = (void *)a[4];
	return mock_reduce(R_XOR, K_LONG, team, dest, source, nreduce);
}

uint32_t goshmem_rocshmem_uint32_atomic_fetch(uint32_t *source, int pe)
{
	word a[] = {(word)source, (word)pe};
	if (!enter("uint32_atomic_fetch", "Hp", a)) return 0;
	source = (uint32_t *)a[0];
	pe = (int)a[1];
	return amo_uint32(A_ADD, at(source, pe), 0, 0);
}

uint64_t goshmem_rocshmem_uint64_atomic_fetch(uint64_t *source, int pe)
{
	word a[] = {(word)source, (word)pe};
	if (!enter("uint64_atomic_fetch", "Wp", a)) return 0;
	source = (uint64_t *)a[0];
	pe = (int)a[1];
	return amo_uint64(A_ADD, at(source, pe), 0, 0);
}

uint32_t goshmem_rocshmem_uint32_atomic_compare_swap(uint32_t *dest, uint32_t cond, uint32_t value, int pe)
{
	word a[] = {(word)dest, (word)cond, (word)value, (word)pe};
	if (!enter("uint32_atomic_compare_swap", "Hvvp", a)) return 0;
	dest = (uint32_t *)a[0];
	cond = (uint32_t)a[1];
	value = (uint32_t)a[2];
	pe = (int)a[3];
	return amo_uint32(A_COMPARE, at(dest, pe), value, cond);
}

uint64_t goshmem_rocshmem_uint64_atomic_compare_swap(uint64_t *dest, uint64_t cond, uint64_t value, int pe)
{
	word a[] = {(word)dest, (word)cond, (word)value, (word)pe};
	if (!enter("uint64_atomic_compare_swap", "Wvvp", a)) return 0;
	dest = (uint64_t *)a[0];
	cond = (uint64_t)a[1];
	value = (uint64_t)a[2];
	pe = (int)a[3];
	return amo_uint64(A_COMPARE, at(dest, pe), value, cond);
}

uint32_t goshmem_rocshmem_uint32_atomic_fetch_add(uint32_t *dest, uint32_t value, int pe)
{
	word a[] = {(word)dest, (word)value, (word)pe};
	if (!enter("uint32_atomic_fetch_add", "Hvp", a)) return 0;
	dest = (uint32_t *)a[0];
	value = (uint32_t)a[1];
	pe = (int)a[2];
	return amo_uint32(A_ADD, at(dest, pe), value, 0);
}

uint64_t goshmem_rocshmem_uint64_atomic_fetch_add(uint64_t *dest, uint64_t value, int pe)
{
	word a[] = {(word)dest, (word)value, (word)pe};
	if (!enter("uint64_atomic_fetch_add", "Wvp", a)) return 0;
	dest = (uint64_t *)a[0];
	value = (uint64_t)a[1];
	pe = (int)a[2];
	return amo_uint64(A_ADD, at(dest, pe), value, 0);
}

