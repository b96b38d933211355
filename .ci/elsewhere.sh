#!/usr/bin/env bash
# Runs what was built here on a machine without Go: `.ci/elsewhere.sh build` makes
# static binaries in bin/; copy the tree there and run `.ci/elsewhere.sh run`. It
# starts the same programs and tests under our launcher and under whichever of
# torchrun and mpirun that machine has, and prints a table last.
set -uo pipefail
cd -P "$(dirname "${BASH_SOURCE[0]}")/.."

build() {
	set -e
	export CGO_ENABLED=0 GOOS=linux GOARCH=amd64
	mkdir -p bin
	go build -ldflags=-s -o bin/ ./cmd/goshmem ./examples/ring ./examples/subset
	for pkg in shmem shmemtest internal/engine/host; do
		go test -c -ldflags=-s -o "bin/${pkg##*/}.test" "./$pkg"
	done
}

rows=()

# row NAME COMMAND...: runs COMMAND, keeps its output, adds a line to the table.
row() {
	local name=$1 start=$SECONDS status=0
	shift
	echo "=== $name: $*"
	timeout 240 "$@" </dev/null || status=$?
	rows+=("$(printf '%-44s status %-4s %4s s' "$name" "$status" "$((SECONDS - start))")")
}

have() { command -v "$1" >/dev/null; }

run() {
	echo "$(uname -sr), $(nproc) cores, $(date -u +%F)"
	local n
	row "info" bin/goshmem info
	row "doctor" bin/goshmem doctor
	row "doctor, goshmem run -n 4" bin/goshmem run -n 4 bin/goshmem doctor
	for n in 1 2 4 8 16; do
		row "ring, goshmem run -n $n" bin/goshmem run -n "$n" bin/ring
	done
	row "subset, goshmem run -n 5" bin/goshmem run -n 5 bin/subset
	if have torchrun; then
		torchrun --version 2>/dev/null
		for n in 1 2 4; do
			row "ring, torchrun, $n ranks" torchrun --no-python --nproc-per-node "$n" bin/ring
		done
		row "conformance, torchrun, 4 ranks" torchrun --no-python --nproc-per-node 4 bin/shmem.test -test.run Conformance -test.v
	fi
	if have mpirun; then
		mpirun --version | head -1
		row "ring, mpirun, 4 ranks" mpirun --allow-run-as-root --oversubscribe -np 4 bin/ring
	fi
	row "shmem tests" env -C shmem ../bin/shmem.test
	row "shmemtest tests" env -C shmemtest ../bin/shmemtest.test
	row "host engine tests" env -C internal/engine/host ../../../bin/host.test
	row "perf" bin/goshmem perf shmem --rounds 7
	echo
	printf '%s\n' "${rows[@]}"
}

case "${1-}" in
build) build ;;
run) run ;;
*) echo "usage: .ci/elsewhere.sh build | run" >&2; exit 2 ;;
esac
