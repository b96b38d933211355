#!/usr/bin/env bash
# Runs what was built here on a machine without Go. `.ci/elsewhere.sh build`, `build
# gpu`, `build engines` or `build triton` makes static binaries in bin/, in place of what is there; copy the tree there,
# with bin/, and run
#   .ci/elsewhere.sh run       programs and tests on the host engine, under our launcher
#                              and whichever of torchrun and mpirun that machine has
#   .ci/elsewhere.sh run gpu   tests and figures of devices, on one GPU and on all
#   .ci/elsewhere.sh run engines
#                              tests and figures of the engines on GPUs, NCCL and provider
#   .ci/elsewhere.sh run scaling
#                              the same on 2, 4, 8 ... GPUs, as many as there are, from what
#                              `build engines` makes; PyTorch's process group beside it
#   .ci/elsewhere.sh run triton
#                              kernels of Triton's on address maps
# `build triton` compiles the kernels for sm_90 with the Triton of $PYTHON, python3 if it is not
# set, and once more with the device functions of the checkout of Iris that $IRIS names, if it
# does.
# `build engines` packs what it makes into one file, bin/packed.tar.xz, which `run` unpacks.
# The last thing printed is a table; the whole output and the figures are in
# ${OUT:-bin/out}.
set -uo pipefail
cd -P "$(dirname "${BASH_SOURCE[0]}")/.."

most_mib=160  # of all binaries: the tree travels with them, or with a packed quarter of it
most_time=480 # seconds of all rows

# build PROGRAM... -- PACKAGE...: programs, and tests of packages that there are.
build() {
	set -e
	export CGO_ENABLED=0 GOOS=linux GOARCH=amd64
	rm -rf bin
	mkdir bin
	while [[ $1 != -- ]]; do
		go build -ldflags='-s -w' -o bin/ "./$1"
		shift
	done
	local pkg
	for pkg in "${@:2}"; do
		[[ ! -d $pkg ]] || go test -c -ldflags='-s -w' -o "bin/${pkg##*/}.test" "./$pkg"
	done
	(cd bin && du -k --apparent-size -- * | sort -rn | awk -v most="$most_mib" '
		{ printf "%6.1f MiB  %s\n", $1 / 1024, $2; all += $1 / 1024 }
		END { printf "%6.1f MiB  in all\n", all; exit all > most }')
}

rows=()

# row NAME COMMAND...: runs COMMAND, keeps its output, adds a line to the table. What
# fails is shown.
row() {
	local name=$1 start=$SECONDS status=0 left=$((most_time - SECONDS)) counts=''
	shift
	if ((left < 1)); then
		rows+=("$(printf '%-44s left out: %s s are over' "$name" "$most_time")")
		return
	fi
	echo "=== $name: $*"
	timeout $((left < 240 ? left : 240)) "$@" </dev/null >"$out/last.txt" 2>&1 || status=$?
	{ echo "=== $name: $* (status $status)" && cat "$out/last.txt"; } >>"$out/$log"
	((status == 0)) || tail -n 30 "$out/last.txt"
	counts=$(grep -oE '^ *--- (PASS|FAIL|SKIP)' "$out/last.txt" | sort | uniq -c | awk '{ n[$3] += $1 } END { for (k in n) printf " %s %s", k, n[k] }')
	rows+=("$(printf '%-44s status %-4s %4s s %s' "$name" "$status" "$((SECONDS - start))" "$counts")")
}

# shown is row for output that is worth reading.
shown() {
	row "$@"
	cat "$out/last.txt"
}

have() { command -v "$1" >/dev/null; }

# start prepares the folder for what is kept, and says where this is.
start() {
	out=${OUT:-$PWD/bin/out}
	log=$1
	mkdir -p "$out" && : >"$out/$log" || exit 1
	echo "$(uname -sr), $(nproc) cores, $(date -u +%F)" | tee -a "$out/$log"
	row "info" bin/goshmem info
	row "doctor" bin/goshmem doctor
}

# finish prints the table.
finish() {
	rm -f "$out/last.txt"
	echo
	printf '%s\n' "${rows[@]}" | tee -a "$out/$log"
}

run() {
	start host.txt
	local n
	row "doctor, goshmem run -n 4" bin/goshmem run -n 4 bin/goshmem doctor
	for n in 1 2 4 8 16; do
		row "ring, goshmem run -n $n" bin/goshmem run -n "$n" bin/ring
	done
	row "subset, goshmem run -n 5" bin/goshmem run -n 5 bin/subset
	if have torchrun; then
		for n in 1 2 4; do
			row "ring, torchrun, $n ranks" torchrun --no-python --nproc-per-node "$n" bin/ring
		done
		row "conformance, torchrun, 4 ranks" torchrun --no-python --nproc-per-node 4 bin/shmem.test -test.run Conformance -test.v
	fi
	if have mpirun; then
		row "ring, mpirun, 4 ranks" mpirun --allow-run-as-root --oversubscribe -np 4 bin/ring
	fi
	row "shmem tests" env -C shmem ../bin/shmem.test
	row "shmemtest tests" env -C shmemtest ../bin/shmemtest.test
	row "host engine tests" env -C internal/engine/host ../../../bin/host.test
	shown "perf shmem" bin/goshmem perf shmem --rounds 7
	finish
}

# pack puts all that was built into one file.
pack() {
	tar -C bin -cf - . | xz -T0 -1 >packed.tar.xz
	rm -rf bin
	mkdir bin
	mv packed.tar.xz bin/
}

# on ENGINE COUNT PROGRAM [ARGUMENT...]: a job of processes on an engine.
on() {
	local engine=$1 n=$2
	shift 2
	row "$(basename "$1"), $engine, $n PEs" env GOSHMEM_ENGINE="$engine" timeout 90 bin/goshmem run -n "$n" "$@"
}

# tables N: package provider's tests as N PEs over engine ipc.
tables() {
	on ipc "$1" bin/provider.test -test.v -test.run 'TestTable|TestOps|TestSharedOffsets|TestFresh|TestCreate|TestBarrier|TestImports$|TestImportsAllocate|TestSelfTest$|TestFreeOrder'
}

# peers ENGINE N: kernels on the memory of N PEs, beside NCCL without multicast.
peers() {
	shown "perf provider, $1, $2 PEs" env NCCL_NVLS_ENABLE=0 GOSHMEM_ENGINE="$1" bin/goshmem run --no-prefix -n "$2" bin/goshmem perf provider --save "$out/$(date -u +%Y-%m)-provider-$1-$2" --maps "$out/provider-$1-$2.png"
}

run_engines() {
	local n all
	start engines.txt
	all=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU')
	export GOSHMEM_TIMEOUT=20s
	row "ipc tests" env -C internal/engine/ipc IPC_TEST_DRIVER=cuda ../../../bin/ipc.test -test.v -test.timeout 100s
	row "nvshmem worlds" env -C internal/engine/nvshmem ../../../bin/goshmem run -n "$all" ../../../bin/nvshmem.test -test.v -test.run '^TestWorld' -test.timeout 60s
	row "nvshmem, a death" env -C internal/engine/nvshmem ../../../bin/goshmem run -n "$all" ../../../bin/nvshmem.test -test.v -test.run '^TestDeath$' -test.timeout 60s
	row "nccl tests" env -C nccl ../bin/nccl.test -test.v -test.timeout 100s -test.run 'TestRanks|TestProcesses|TestTimeout|TestAbortInFlight|TestLibraries|TestOptions'
	for n in 1 2 4; do
		on ipc "$n" bin/ring
	done
	on nvshmem "$all" bin/ring
	for n in oneshot message matmul stream; do
		on ipc "$all" "bin/$n"
		on nvshmem "$all" "bin/$n"
	done
	for n in allreduce sendrecv split dataparallel rcclonly; do
		row "$n, NCCL, $all ranks" bin/goshmem run -n "$all" "bin/$n"
	done
	tables "$all"
	on ipc 4 bin/provider.test -test.v -test.run 'TestOps|TestImports$|TestSelfTest$'
	on nvshmem "$all" bin/provider.test -test.v -test.run '^TestOps$'
	on ipc "$all" bin/shmem.test -test.v -test.run 'TestConformance$' -test.timeout 100s
	on ipc "$all" bin/shmem.test -test.v -test.run 'TestConformanceLarge$' -test.timeout 100s
	# NVSHMEM makes one world per process
	row "conformance, nvshmem" env -C internal/engine/nvshmem TEST_NVSHMEM_SUITE=all ../../../bin/goshmem run -n "$all" ../../../bin/nvshmem.test -test.v -test.run '^TestConformance$' -test.timeout 100s
	peers ipc "$all"
	peers nvshmem "$all"
	shown "tables of 8" env GOSHMEM_ENGINE=ipc bin/goshmem run --no-prefix -n 8 bin/goshmem perf provider --largest 64K --only table
	shown "figures of streams" bin/streams -engines ipc,nvshmem -rounds 7
	for n in 0 1; do
		shown "perf nccl, blocking $n" env NCCL_COMM_BLOCKING="$n" bin/goshmem run --no-prefix -n "$all" bin/goshmem perf nccl all_reduce -b 8 -e 256M -f 8 -w 5
	done
	finish
}

# collectives N: those of N ranks on as many GPUs, and PyTorch's in between.
collectives() {
	local n=$1 op
	for op in all_reduce broadcast reduce all_gather reduce_scatter alltoall; do
		shown "perf nccl $op, $n ranks" bin/goshmem run --no-prefix -n "$n" bin/goshmem perf nccl "$op" -b 8 -e 1G -f 8 -w 5 -J "$out/nccl-$op-$n.json"
	done
	! have torchrun || shown "PyTorch, $n ranks" torchrun --nproc-per-node "$n" bench/peers/torch_nccl.py
}

# world N: engines and package provider on N GPUs.
world() {
	local n=$1
	on ipc "$n" bin/shmem.test -test.v -test.run 'TestConformance$' -test.timeout 80s
	on ipc $((2 * n)) bin/shmem.test -test.v -test.run 'TestConformance$' -test.timeout 80s
	row "nvshmem worlds, $n PEs" env -C internal/engine/nvshmem ../../../bin/goshmem run -n "$n" ../../../bin/nvshmem.test -test.v -test.run '^TestWorld' -test.timeout 60s
	tables "$n"
	row "nccl tests, $n ranks" env -C nccl ../bin/nccl.test -test.v -test.timeout 100s -test.run 'TestRanks|TestProcesses'
	shown "streams, $n PEs" bin/streams -engines ipc,nvshmem -n "$n" -rounds 3
	peers ipc "$n"
}

# run_scaling does for 2, 4, 8 ... GPUs what fits into its time, the whole machine first.
run_scaling() {
	start scaling.txt
	local n all
	all=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU')
	export GOSHMEM_TIMEOUT=20s
	for ((n = all; n > 1; n /= 2)); do
		CUDA_VISIBLE_DEVICES=$(seq -s, 0 $((n - 1)))
		export CUDA_VISIBLE_DEVICES
		collectives "$n"
		world "$n"
	done
	finish
}

# kernels NAME [OPTION...]: what Triton makes for H100 and H200, less its text.
kernels() {
	"${PYTHON:-python3}" examples/triton/compile.py --target cuda:90 --out "bin/kernels/$1" "${@:2}"
	rm -f "bin/kernels/$1"/*/*.ptx
}

run_triton() {
	local n all engine name less
	start triton.txt
	all=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU')
	export GOSHMEM_TIMEOUT=20s
	row "a kernel of Triton's" env -C gpu ../bin/gpu.test -test.v -test.run 'TestDevices/cuda/Triton|TestTriton' -test.timeout 60s
	for name in triton iris; do
		less=(-kernels "bin/kernels/$name")
		[[ $name != iris ]] || less+=(-without atomic_sub) # which Triton does not have
		[[ -d bin/kernels/$name ]] || continue
		for n in 1 "$all" $((2 * all)); do
			on ipc "$n" bin/triton "${less[@]}"
		done
		on nvshmem "$all" bin/triton "${less[@]}"
	done
	grep -h 'are right' "$out/$log"
	finish
}

# devices COUNT COMMAND...: what there is to run on so many GPUs.
devices() {
	local n=$1
	shift
	shown "perf gpu, $n GPU" "$@" bin/goshmem perf gpu --compare --save "$out/$(date -u +%Y-%m)-gpu-$n"
	row "example, $n GPU" "$@" bin/gpu
	row "gpu tests, $n GPU" "$@" env -C gpu ../bin/gpu.test -test.v -test.timeout 200s
	row "vendor tests, $n GPU" "$@" env -C internal/device/vendor ../../../bin/vendor.test -test.v -test.timeout 100s
}

run_gpu() {
	start gpu.txt
	local all
	if have nvidia-smi; then
		all=$(nvidia-smi -L | grep -c '^GPU')
		nvidia-smi 2>&1 | tee -a "$out/$log" | sed -n 3p
	else
		all=$(find /dev -maxdepth 1 -name 'nvidia[0-9]*' | wc -l)
	fi
	devices 1 env CUDA_VISIBLE_DEVICES=0
	if ((all > 1)); then
		devices "$all" env
	fi
	row "rtc tests" env -C internal/rtc ../../bin/rtc.test -test.v -test.timeout 100s
	if [[ -x bin/dlpack.test ]]; then
		row "dlpack tests" env -C interchange ../bin/dlpack.test -test.v -test.timeout 100s
	fi
	finish
}

case "$*" in
build) build cmd/goshmem examples/ring examples/subset -- shmem shmemtest internal/engine/host ;;
"build gpu") build cmd/goshmem examples/gpu -- gpu internal/device/vendor internal/rtc interchange/dlpack ;;
"build engines")
	build cmd/goshmem bench/streams examples/{ring,stream,oneshot,message,matmul,allreduce,sendrecv,split,dataparallel,rcclonly} \
		-- internal/engine/ipc internal/engine/nvshmem nccl provider shmem
	pack
	;;
"build triton")
	build cmd/goshmem examples/triton -- gpu
	kernels triton
	[[ -z ${IRIS:-} ]] || kernels iris --iris "$IRIS" --without atomic_sub
	;;
run) run ;;
"run triton") run_triton ;;
"run engines")
	[[ ! -f bin/packed.tar.xz ]] || xz -dc bin/packed.tar.xz | tar -C bin -xf -
	run_engines
	;;
"run scaling")
	[[ ! -f bin/packed.tar.xz ]] || xz -dc bin/packed.tar.xz | tar -C bin -xf -
	run_scaling
	;;
"run gpu") run_gpu ;;
*) echo "usage: .ci/elsewhere.sh build [gpu | engines | triton] | run [gpu | engines | scaling | triton]" >&2; exit 2 ;;
esac
