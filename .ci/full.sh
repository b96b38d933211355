# The stages of `.ci/run` beyond core.

# stage_install brings what tests are skipped without: compilers, AMD's headers and library,
# other libraries' launchers, and UCX.
stage_install() {
	need gcc gcc
	need g++ g++
	need cmake cmake
	need clang-19 clang-19
	need '/usr/include/hip/hip_runtime_api.h' libamdhip64-dev # brings the library
	need mpirun.openmpi openmpi-bin
	need mpiexec.hydra mpich
	need '/usr/lib/*/openmpi/include/shmem.h' libopenmpi-dev # the compilers come without
	need '/usr/include/*/mpich/mpi.h' libmpich-dev
	need '/usr/lib/*/libucp.so.0' libucx0
	need '/usr/include/ucp/api/ucp.h' libucx-dev
	need ucx_perftest ucx-utils
	need ip iproute2
	need tc iproute2
}

# stage_race: the race detector sees symmetric memory where PEs are goroutines; not that of
# processes, nor that of devices. Its programs would sleep for a second before they end.
stage_race() {
	GORACE=atexit_sleep_ms=0 CGO_ENABLED=1 tests race -race -vet=off -timeout 270s -skip 'Processes|TestConformanceDevice' \
		./shmem/... ./shmemtest/... ./internal/engine ./internal/engine/{faulty,host,ipc,network,weak} ./internal/engines/... ./internal/ccl/host ./nccl ./provider ./internal/heap/... ./internal/mem/... ./internal/reduce/... \
		./launch/... ./examples/{halo,ring,stream,message,oneshot,dataparallel,training} ./internal/dl ./internal/device/{host,vendor} ./gpu ./interchange/... ./internal/truth
}

# The packages whose tests join the job that they are started in, and their tests that do not.
job_tests=(./shmemtest ./shmem)
no_job='TestConformanceDevice|TestScaling'

# stage_jobs starts the same programs and test binaries with our launcher and with
# those of Open MPI and MPICH, which know nothing of us.
stage_jobs() {
	go build -o "$CI_DIR/bin/" ./cmd/goshmem ./examples/ring
	mkdir "$CI_DIR/tests"
	go test -c -o "$CI_DIR/tests/" "${job_tests[@]}"
	local n binary
	for n in 1 2 4; do
		each "ring, $n PEs, goshmem run" prints "$(ring_of "$n")" "$CI_DIR/bin/goshmem" run --no-prefix -n "$n" "$CI_DIR/bin/ring"
		each "ring, $n PEs, mpirun" prints "$(ring_of "$n")" ompi "$n" "$CI_DIR/bin/ring"
		each "ring, $n PEs, mpiexec.hydra" prints "$(ring_of "$n")" hydra "$n" "$CI_DIR/bin/ring"
	done
	for binary in "$CI_DIR"/tests/*; do
		# worlds of goroutines have nothing to do with the job, nor have jobs of their own
		each "${binary##*/}, 4 PEs, mpirun" all_pass 4 ompi 4 "$binary" -test.v -test.skip "$no_job"
		each "${binary##*/}, 2 PEs, mpiexec.hydra" all_pass 2 hydra 2 "$binary" -test.v -test.skip "$no_job"
	done
	each "goshmem test" "$CI_DIR/bin/goshmem" test -n 2 "${job_tests[@]}"
}

# stage_kills kills a random PE of a working job at a random moment, again and again.
stage_kills() {
	tests kills -run TestStorm -timeout 210s ./internal/killtest -kills 300
}

ompi() { mpirun.openmpi --allow-run-as-root --oversubscribe --bind-to none -np "$@"; }
hydra() { mpiexec.hydra -n "$@"; }

# ring_of is what examples/ring prints with n PEs.
ring_of() {
	local n=$1 pe
	for ((pe = 0; pe < n; pe++)); do
		echo "got $pe from PE $pe"
	done
}

# all_pass succeeds if COMMAND does, each of n ranks says PASS, and tests ran.
all_pass() {
	local n=$1 out
	shift
	if out=$("$@" 2>&1) && (($(grep -c '^PASS$' <<<"$out") == n)) && grep -q '^--- PASS' <<<"$out"; then
		return 0
	fi
	echo "$out"
	return 1
}

# stage_cross compiles for other targets; code that nobody runs need not be good. Tests are
# built for one of them. Windows has least in common with Linux; for macOS it is
# what programs import.
stage_cross() {
	export CGO_ENABLED=0
	local fast=(-gcflags=all='-N -l')
	each "go vet for linux/arm64" env GOOS=linux GOARCH=arm64 go vet "${fast[@]}" ./...
	each "go build for windows/amd64" env GOOS=windows GOARCH=amd64 go build "${fast[@]}" ./...
	each "go build for darwin/arm64" env GOOS=darwin GOARCH=arm64 go build "${fast[@]}" ./shmem/... ./shmemtest ./nccl/... ./provider ./gpu ./interchange/... ./examples/ring
}

# stage_fuzz gives fuzz targets some time, but for that of package shmem, whose instrumented
# build takes longer than all others do: its seeds run with the tests.
stage_fuzz() {
	local folder target found=0
	for folder in $(grep -rl '^func Fuzz' --include='*_test.go' . | xargs -r -n1 dirname | sort -u | grep -v '^./shmem$'); do
		for target in $(grep -hoP '^func \KFuzz\w+' "$folder"/*_test.go); do
			found=$((found + 1))
			tests fuzz -run '^$' -fuzz "^$target\$" -fuzztime 1s "$folder"
		done
	done
	((found > 0)) || { echo "no fuzz target found"; return 1; }
}
