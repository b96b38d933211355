#!/usr/bin/env bash
# Runs what was built here on a machine without Go. `.ci/elsewhere.sh build`, `build
# gpu`, `build engines`, `build triton` or `build all` makes static binaries in bin/, in place of
# what is there; copy the tree there, with bin/, and run
#   .ci/elsewhere.sh run       programs and tests on the host engine, under our launcher
#                              and whichever of torchrun and mpirun that machine has
#   .ci/elsewhere.sh run gpu   tests and figures of devices, on one GPU and on all
#   .ci/elsewhere.sh run engines
#                              tests and figures of the engines on GPUs, NCCL and provider
#   .ci/elsewhere.sh run scaling
#                              the same on 2, 4, 8 ... GPUs, as many as there are, from what
#                              `build engines` makes; package nccl beside NCCL from C and
#                              PyTorch's process group
#   .ci/elsewhere.sh run triton
#                              kernels of Triton's on address maps
#   .ci/elsewhere.sh run all   engines, scaling and triton in nine minutes, from `build all`
# `build triton` and `build all` compile the kernels for sm_90 with the Triton of $PYTHON, python3
# if it is not set, and once more with the device functions of the checkout of Iris that $IRIS
# names, if it does.
# `build engines` and `build all` pack what they make into one file, bin/packed.tar.xz, which
# `run` unpacks.
# The last thing printed is a table; the whole output is in ${OUT:-bin/out}, and the figures in
# figures.tar.xz there.
set -uo pipefail
cd -P "$(dirname "${BASH_SOURCE[0]}")/.."

most_mib=160  # of all binaries: the tree travels with them, or with a packed quarter of it
most_packed=54 # of the packed ones, which travel with some 8 MiB of tree: 64 MiB in all
most_time=480 # seconds of all rows, or of those until the end of a part

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
	: >"$out/last.txt"
	if ((left < 1)); then
		rows+=("$(printf '%-44s left out: %s s are over' "$name" "$most_time")")
		return
	fi
	echo "=== $name: $*"
	timeout --kill-after=10 $((left < 240 ? left : 240)) "$@" </dev/null >"$out/last.txt" 2>&1 || status=$?
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

# start prepares the folders for what is kept, and says where this is.
start() {
	out=${OUT:-$PWD/bin/out}
	figures=$PWD/bin/figures
	log=$1
	rm -rf "$figures"
	mkdir -p "$out" "$figures" && : >"$out/$log" || exit 1
	echo "$(uname -sr), $(nproc) cores, $(date -u +%F)" | tee -a "$out/$log"
	row "info" bin/goshmem info
	row "doctor" bin/goshmem doctor
}

notes='' # what is to stand above the table

# keep packs the figures, so that few files come back however many there are.
keep() { tar -C "$figures" -cf - . | xz -1 >"$out/figures.tar.xz"; }

# finish prints the table.
finish() {
	rm -f "$out/last.txt"
	keep
	echo
	printf '%s\n' "$notes" "${rows[@]}" | tee -a "$out/$log"
}

# on_gpus counts the GPUs, without which there is nothing to do. Multicast is a resource
# of the whole machine.
on_gpus() {
	all=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU')
	if ((all < 1)); then
		echo "no GPU: nvidia-smi -L lists none" >&2
		exit 1
	fi
	export GOSHMEM_TIMEOUT=20s NCCL_NVLS_ENABLE=0 NVSHMEM_DISABLE_NVLS=1 TORCH_SYMM_MEM_DISABLE_MULTICAST=1
}

# unpack undoes pack.
unpack() {
	[[ ! -f bin/packed.tar.xz ]] || xz -dc bin/packed.tar.xz | tar -C bin -xf - || exit 1
	[[ -x bin/goshmem ]] || { echo "bin/goshmem is missing: run .ci/elsewhere.sh build first" >&2; exit 1; }
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
	du -k --apparent-size bin/packed.tar.xz | awk -v most="$most_packed" '{ printf "%6.1f MiB  %s\n", $1 / 1024, $2; exit $1 / 1024 > most }'
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

# peers ENGINE N: kernels on the memory of N PEs, beside NCCL.
peers() {
	shown "perf provider, $1, $2 PEs" env GOSHMEM_ENGINE="$1" bin/goshmem run --no-prefix -n "$2" bin/goshmem perf provider --save "$figures/$(date -u +%Y-%m)-provider-$1-$2" --maps "$figures/provider-$1-$2.png"
}

# in_nvshmem NAME N TESTS [VARIABLE...]: its tests; it makes one world per process.
in_nvshmem() {
	row "$1, $2 PEs" env -C internal/engine/nvshmem "${@:4}" ../../../bin/goshmem run -n "$2" ../../../bin/nvshmem.test -test.v -test.run "$3" -test.timeout 100s
}

# conforms N TESTS: the suite of package shmem over engine ipc.
conforms() { on ipc "$1" bin/shmem.test -test.v -test.run "$2" -test.timeout 80s; }

# of_nccl TESTS: package nccl's, with all GPUs.
of_nccl() { row "nccl tests" env -C nccl ../bin/nccl.test -test.v -test.timeout 100s -test.run "$1"; }

# engines: what nothing else shows comes first, what takes long last.
engines() {
	local n
	of_nccl 'TestRanks|TestProcesses|TestTimeout|TestAbortInFlight|TestLibraries|TestOptions'
	conforms "$all" 'TestConformance$'
	conforms "$all" 'TestConformanceLarge$'
	tables "$all"
	peers ipc "$all"
	on nvshmem "$all" bin/provider.test -test.v -test.run '^TestOps$'
	on ipc 4 bin/provider.test -test.v -test.run 'TestOps|TestImports$|TestSelfTest$'
	row "ipc tests" env -C internal/engine/ipc IPC_TEST_DRIVER=cuda ../../../bin/ipc.test -test.v -test.timeout 100s
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
	shown "figures of streams" bin/streams -engines ipc,nvshmem -rounds 5
	peers nvshmem "$all"
	in_nvshmem "nvshmem worlds" "$all" '^TestWorld'
	in_nvshmem "nvshmem, a death" "$all" '^TestDeath$'
	shown "tables of 8" env GOSHMEM_ENGINE=ipc bin/goshmem run --no-prefix -n 8 bin/goshmem perf provider --largest 64K --only table
	in_nvshmem "conformance, nvshmem" "$all" '^TestConformance$' TEST_NVSHMEM_SUITE=all
}

run_engines() {
	on_gpus
	start engines.txt
	engines
	finish
}

# beside LARGEST N: package nccl beside NCCL from C and PyTorch, all with the NCCL that
# PyTorch brings, if it does. Status 3: a ratio is not as wanted.
beside() {
	local python=${PYTHON:-python3} library
	library=$("$python" -c 'import nvidia.nccl as n; print(list(n.__path__)[0] + "/lib/libnccl.so.2")' 2>/dev/null)
	[[ -f $library ]] || library=${NCCL_LIBRARY:-}
	shown "nccl beside C and PyTorch, $2 ranks" env ${library:+NCCL_LIBRARY="$library"} bin/nccl -n "$2" -within 150s -largest "$1" -python "$python" -json "$figures/nccl-beside-$2.json"
	notes+=$(grep -E '^(times up to|bus bandwidth|goshmem, |C, |left out|[0-9]+ ranks|.* are not to be compared)' "$out/last.txt")$'\n'
}

# collectives LARGEST N: the tables of nccl-tests.
collectives() {
	local n=$2 op
	for op in all_reduce broadcast reduce all_gather reduce_scatter alltoall; do
		shown "perf nccl $op, $n ranks" bin/goshmem run --no-prefix -n "$n" bin/goshmem perf nccl "$op" -b 8 -e "$1" -f 8 -w 5 -J "$figures/nccl-$op-$n.json"
	done
}

# world N: engines and package provider on N GPUs.
world() {
	local n=$1
	conforms "$n" 'TestConformance$'
	conforms $((2 * n)) 'TestConformance$'
	in_nvshmem "nvshmem worlds" "$n" '^TestWorld'
	tables "$n"
	of_nccl 'TestRanks|TestProcesses'
	shown "streams, $n PEs" bin/streams -engines ipc,nvshmem -n "$n" -rounds 3
	peers ipc "$n"
}

# counts N COMMAND...: COMMAND with each number of GPUs from N down to 2 as its last argument,
# of which programs see no more.
counts() {
	local n before=${CUDA_VISIBLE_DEVICES-}
	for ((n = $1; n > 1; n /= 2)); do
		CUDA_VISIBLE_DEVICES=$(seq -s, 0 $((n - 1)))
		export CUDA_VISIBLE_DEVICES
		"${@:2}" "$n"
	done
	export CUDA_VISIBLE_DEVICES=$before
	[[ -n $before ]] || unset CUDA_VISIBLE_DEVICES
}

# run_scaling does for 2, 4, 8 ... GPUs what fits into its time, the whole machine first.
run_scaling() {
	on_gpus
	start scaling.txt
	counts "$all" beside 1G
	counts "$all" collectives 1G
	counts "$all" world
	finish
}

# part SECONDS COMMAND...: rows that end in so many seconds after the start of it all; what is
# left of the time of one part is the next one's.
part() {
	most_time=$1
	"${@:2}"
	keep
}

# run_all ends in nine minutes. What engines has shown of the whole machine is not done again.
run_all() {
	on_gpus
	start all.txt
	part 230 engines
	part 420 counts "$all" beside 256M
	part 470 triton
	part 500 counts "$all" collectives 256M
	part 520 counts $((all / 2)) world
	finish
}

# kernels NAME [OPTION...]: what Triton makes for H100 and H200, less its text.
kernels() {
	"${PYTHON:-python3}" examples/triton/compile.py --target cuda:90 --out "bin/kernels/$1" "${@:2}"
	rm -f "bin/kernels/$1"/*/*.ptx
}

triton() {
	local n engine name less
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
}

run_triton() {
	on_gpus
	start triton.txt
	triton
	finish
}

# devices COUNT COMMAND...: what there is to run on so many GPUs.
devices() {
	local n=$1
	shift
	shown "perf gpu, $n GPU" "$@" bin/goshmem perf gpu --compare --save "$figures/$(date -u +%Y-%m)-gpu-$n"
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

programs=(cmd/goshmem bench/streams bench/nccl examples/{ring,stream,oneshot,message,matmul,allreduce,sendrecv,split,dataparallel,rcclonly})
packages=(internal/engine/ipc internal/engine/nvshmem nccl provider shmem)

# all_kernels are those of the examples, and those over Iris if it is there.
all_kernels() {
	kernels triton
	[[ -z ${IRIS:-} ]] || kernels iris --iris "$IRIS" --without atomic_sub
}

case "$*" in
build) build cmd/goshmem examples/ring examples/subset -- shmem shmemtest internal/engine/host ;;
"build gpu") build cmd/goshmem examples/gpu -- gpu internal/device/vendor internal/rtc interchange/dlpack ;;
"build engines")
	build "${programs[@]}" -- "${packages[@]}"
	pack
	;;
"build triton")
	build cmd/goshmem examples/triton -- gpu
	all_kernels
	;;
"build all")
	build "${programs[@]}" examples/triton -- "${packages[@]}" gpu
	all_kernels
	pack
	;;
run) run ;;
"run gpu" | "run engines" | "run scaling" | "run triton" | "run all")
	unpack
	"run_$2"
	;;
*) echo "usage: .ci/elsewhere.sh build [gpu | engines | triton | all] | run [gpu | engines | scaling | triton | all]" >&2; exit 2 ;;
esac
