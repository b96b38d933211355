# The frame of .ci/run: which stages there are, how one is run, how the run ends.

# Each stage is a function stage_NAME in core.sh or full.sh, with its budget in minutes.
before=(install:3)
core=(test:8 style:2 static:3 consumer:2)
extra=(race:5 jobs:4 kills:2 cross:4 fuzz:2)

failed=()

# prepare makes the folder that everything temporary is in, and the tools.
prepare() {
	export LC_ALL=C
	export HOME="${HOME:-$(getent passwd "$(id -u)" | cut -d: -f6)}"
	command -v go >/dev/null || PATH="$PATH:/usr/local/go/bin"
	CI_DIR=$(mktemp -d)
	trap 'rm -rf "$CI_DIR"' EXIT
	export CI_DIR CI_MARK="$$.$RANDOM"
	export TMPDIR="$CI_DIR/tmp"
	mkdir "$TMPDIR" "$CI_DIR/bin"
	: >"$CI_DIR/tally"
	ls -A /dev/shm >"$CI_DIR/shm" 2>/dev/null || true
	echo "$(go version), $(nproc) cores"
	go build -o "$CI_DIR/bin/" ./internal/ci/verdict
}

# run_stage runs one stage within its minutes. A stage is stopped at twice its
# budget, so that one that hangs does not hide the others.
run_stage() {
	local name=$1 budget=$(($2 * 60)) start=$SECONDS status=0
	echo
	echo "=== $name"
	timeout --kill-after=10 $((2 * budget)) bash .ci/run stage "$name" </dev/null || status=$?
	local took=$((SECONDS - start))
	echo "=== $name: $took s of $budget s"
	if ((status != 0)); then
		failed+=("$name (exit status $status)")
	elif ((took > budget)); then
		failed+=("$name (over its budget of $2 minutes)")
	fi
	left_behind "$name"
}

# left_behind fails the stage that leaves files or processes.
left_behind() {
	local files processes p
	files=$(ls -A "$TMPDIR" && ls -A /dev/shm 2>/dev/null | comm -13 "$CI_DIR/shm" - || true)
	if [[ -n $files ]]; then
		echo "left behind by $1: ${files//$'\n'/ }"
		failed+=("$1 (left files behind)")
		rm -rf "${TMPDIR:?}"/*
		ls -A /dev/shm >"$CI_DIR/shm" 2>/dev/null || true
	fi
	for _ in $(seq 50); do # the go command may be finishing something
		processes=$(marked)
		[[ -n $processes ]] || return 0
		sleep 0.2
	done
	echo "still running after $1:"
	for p in $processes; do
		echo "$p $(tr '\0' ' ' <"/proc/$p/cmdline" || true)"
		kill -KILL "$p" || true # the next stages are not to be blamed for it
	done
	failed+=("$1 (left processes running)")
}

# marked lists the processes that the stages have started: the environment has the
# mark, but for this shell, which was started before it was set. The list of all
# processes is made first, so that it has none of those that this function starts.
marked() {
	local all=(/proc/[0-9]*/environ)
	grep -lsz "^CI_MARK=$CI_MARK$" "${all[@]}" | cut -d/ -f3 || true
}

# finish checks the time of the whole run and prints what came out.
finish() {
	if ((SECONDS > $1 * 60)); then
		failed+=("the whole run (over its budget of $1 minutes)")
	fi
	echo
	echo "all stages: $SECONDS s of $(($1 * 60)) s"
	local f
	for f in "${failed[@]+"${failed[@]}"}"; do
		echo "FAILED: $f"
	done
	awk '{ p += $1; f += $3; s += $5 } END { printf "%d passed, %d failed, %d skipped\n", p, f, s }' "$CI_DIR/tally"
	((${#failed[@]} == 0))
}

# tests runs go test with the list of skips that are allowed in TIER.
tests() {
	local tier=$1
	shift
	go test -json -count=1 "$@" | judge "$tier"
}

# judge reads the output of go test -json.
judge() { "$CI_DIR/bin/verdict" -skips "$CI_ROOT/.ci/skips/$1.txt" -tally "$CI_DIR/tally"; }

# each counts what is not a Go test: `each NAME COMMAND...` passes if COMMAND does.
# A failure makes the stage fail at its end, after the other checks have run.
each() {
	local name=$1
	shift
	if "$@"; then
		echo "ok   $name"
		echo "1 passed, 0 failed, 0 skipped" >>"$CI_DIR/tally"
	else
		echo "FAIL $name"
		echo "0 passed, 1 failed, 0 skipped" >>"$CI_DIR/tally"
		stage_status=1
	fi
}
stage_status=0

# need installs the package that has a command, or a file, if it is not there.
need() {
	found "$1" && return
	if [[ ! -e $CI_DIR/updated ]]; then
		apt-get update -qq
		: >"$CI_DIR/updated"
	fi
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$2" >/dev/null
	found "$1"
}

# found COMMAND or PATTERN says whether there is such a command or file.
found() { command -v "$1" >/dev/null || compgen -G "$1" >/dev/null; }

CI_ROOT=$PWD
