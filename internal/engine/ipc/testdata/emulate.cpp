// Runs the kernels of ipc.cu and ipcreduce.cu on the CPU, one thread per block of each PE: what the tests
// of the engine say about its kernels in Go can so be said about the source that GPUs get.
// It reads jobs from its input and writes what they left.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sched.h>
#include <thread>
#include <vector>

struct Index { unsigned x; };
static thread_local Index threadIdx, blockIdx, blockDim, gridDim;

#define __device__
#define __global__
#define __shared__ static thread_local
static void __syncthreads() {}
static void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
template <class T> static T look(const T *p, int order) {
	sched_yield();
	return __atomic_load_n(p, order);
}
#define __hip_atomic_load(p, order, scope) look(p, order)
#define __hip_atomic_store(p, v, order, scope) __atomic_store_n(p, v, order)
#define __hip_atomic_fetch_add(p, v, order, scope) __atomic_fetch_add(p, v, order)
#define __hip_atomic_fetch_and(p, v, order, scope) __atomic_fetch_and(p, v, order)
#define __hip_atomic_fetch_or(p, v, order, scope) __atomic_fetch_or(p, v, order)
#define __hip_atomic_fetch_xor(p, v, order, scope) __atomic_fetch_xor(p, v, order)
#define __hip_atomic_exchange(p, v, order, scope) __atomic_exchange_n(p, v, order)
#define __hip_atomic_compare_exchange_strong(p, c, v, yes, no, scope) __atomic_compare_exchange_n(p, c, v, false, yes, no)

namespace base {
#include "ipcjob.cu"
#include "ipc.cu"
}

#define ELEM 0
#define ipc_reduce ipc_reduce0
namespace element0 {
#include "ipcjob.cu"
#include "ipcreduce.cu"
}
#undef ELEM
#undef ipc_reduce
#define ELEM 1
#define ipc_reduce ipc_reduce1
namespace element1 {
#include "ipcjob.cu"
#include "ipcreduce.cu"
}
#undef ELEM
#undef ipc_reduce
#define ELEM 2
#define ipc_reduce ipc_reduce2
namespace element2 {
#include "ipcjob.cu"
#include "ipcreduce.cu"
}
#undef ELEM
#undef ipc_reduce
#define ELEM 3
#define ipc_reduce ipc_reduce3
namespace element3 {
#include "ipcjob.cu"
#include "ipcreduce.cu"
}
#undef ELEM
#undef ipc_reduce
#define ELEM 4
#define ipc_reduce ipc_reduce4
namespace element4 {
#include "ipcjob.cu"
#include "ipcreduce.cu"
}
#undef ELEM
#undef ipc_reduce
#define ELEM 5
#define ipc_reduce ipc_reduce5
namespace element5 {
#include "ipcjob.cu"
#include "ipcreduce.cu"
}
#undef ELEM
#undef ipc_reduce
#define ELEM 6
#define ipc_reduce ipc_reduce6
namespace element6 {
#include "ipcjob.cu"
#include "ipcreduce.cu"
}
#undef ELEM
#undef ipc_reduce
#define ELEM 7
#define ipc_reduce ipc_reduce7
namespace element7 {
#include "ipcjob.cu"
#include "ipcreduce.cu"
}
#undef ELEM
#undef ipc_reduce
#define ELEM 8
#define ipc_reduce ipc_reduce8
namespace element8 {
#include "ipcjob.cu"
#include "ipcreduce.cu"
}
#undef ELEM
#undef ipc_reduce
#define ELEM 9
#define ipc_reduce ipc_reduce9
namespace element9 {
#include "ipcjob.cu"
#include "ipcreduce.cu"
}
#undef ELEM
#undef ipc_reduce
#define ELEM 10
#define ipc_reduce ipc_reduce10
namespace element10 {
#include "ipcjob.cu"
#include "ipcreduce.cu"
}
#undef ELEM
#undef ipc_reduce
#define ELEM 11
#define ipc_reduce ipc_reduce11
namespace element11 {
#include "ipcjob.cu"
#include "ipcreduce.cu"
}
#undef ELEM
#undef ipc_reduce
#define ELEM 12
#define ipc_reduce ipc_reduce12
namespace element12 {
#include "ipcjob.cu"
#include "ipcreduce.cu"
}
#undef ELEM
#undef ipc_reduce
#define ELEM 13
#define ipc_reduce ipc_reduce13
namespace element13 {
#include "ipcjob.cu"
#include "ipcreduce.cu"
}
#undef ELEM
#undef ipc_reduce
#define ELEM 14
#define ipc_reduce ipc_reduce14
namespace element14 {
#include "ipcjob.cu"
#include "ipcreduce.cu"
}
#undef ELEM
#undef ipc_reduce
#define ELEM 15
#define ipc_reduce ipc_reduce15
namespace element15 {
#include "ipcjob.cu"
#include "ipcreduce.cu"
}
#undef ELEM
#undef ipc_reduce

// Order is what comes before the jobs of a case.
struct Order {
	int64_t what, pes, blocks, elem;
	int64_t src, srcBytes, dst, dstBytes; // what is written before, and read after, for each PE
	int64_t memory;
};

enum { COLLECTIVE, BARRIER, MEET, AMO, WAIT };

static void take(void *p, size_t n) {
	if (n && fread(p, n, 1, stdin) != 1)
		exit(1);
}

#define CASE(n) \
	case n: { \
		element##n::Job e; \
		memcpy(&e, &j, sizeof(e)); \
		return element##n::ipc_reduce##n(e); \
	}

static void collective(int elem, const base::Job &j) {
	switch (elem) {
		CASE(0) CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7)
		CASE(8) CASE(9) CASE(10) CASE(11) CASE(12) CASE(13) CASE(14) CASE(15)
	}
	base::ipc_exchange(j);
}

static void run(const Order &o, const char *job, char *memory) {
	base::Job j;
	memcpy(&j, job, sizeof(j));
	j.bases += (uint64_t)memory;
	switch (o.what) {
	case COLLECTIVE: return collective(o.elem, j);
	case BARRIER: return base::ipc_barrier(j);
	case MEET: return base::ipc_meet(j);
	case WAIT: {
		base::Wait w;
		memcpy(&w, job, sizeof(w));
		w.j.bases += (uint64_t)memory;
		return base::ipc_wait(w);
	}
	}
	base::Word w;
	memcpy(&w, job, sizeof(w));
	w.at += (uint64_t)memory;
	if (w.result)
		w.result += (uint64_t)memory;
	base::ipc_amo(w);
}

int main() {
	std::vector<char *> memory;
	Order o;
	while (fread(&o, sizeof(o), 1, stdin) == 1) {
		size_t each = o.what == AMO ? sizeof(base::Word) : o.what == WAIT ? sizeof(base::Wait) : sizeof(base::Job);
		std::vector<char> jobs(each * o.pes);
		take(jobs.data(), jobs.size());
		for (size_t i = memory.size(); i < (size_t)o.pes; i++)
			memory.push_back((char *)aligned_alloc(256, o.memory)), memset(memory[i], 0, o.memory);
		for (int i = 0; i < o.pes; i++) {
			take(memory[i] + o.src, o.srcBytes);
			if (o.what != AMO) {
				base::Job j;
				memcpy(&j, &jobs[i * each], sizeof(j));
				memcpy(memory[i] + j.bases, memory.data(), o.pes * sizeof(char *));
			}
		}
		std::vector<std::thread> all;
		for (int i = 0; i < o.pes; i++)
			for (unsigned b = 0; b < o.blocks; b++)
				all.emplace_back([&, i, b] {
					threadIdx.x = 0, blockDim.x = 1, blockIdx.x = b, gridDim.x = o.blocks;
					run(o, &jobs[i * each], memory[i]);
				});
		for (auto &t : all)
			t.join();
		for (int i = 0; i < o.pes; i++)
			fwrite(memory[i] + o.dst, o.dstBytes, 1, stdout);
		fflush(stdout);
	}
}
