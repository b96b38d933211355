# The stages of `.ci/run core`.

stage_test() {
	# the longest first, or the other core would have to wait for it; go vet is a check of its own
	tests "$tier" -vet=off -timeout 300s ./shmem ./...
}

stage_style() {
	local bad
	bad=$(gofmt -l .)
	each "gofmt${bad:+: $bad}" test -z "$bad"
	each "go vet" go vet ./...
	each "go mod tidy" go mod tidy -diff
	each "go mod tidy in tools" go -C tools mod tidy -diff
	each "generated files are up to date" same_generated
	each "go mod verify" go mod verify
}

# same_generated runs the generators and compares.
same_generated() {
	grep -rq '^//go:generate' --include='*.go' . || return 0
	local before
	before=$(generated)
	go generate ./... || return
	diff <(echo "$before") <(generated)
}

generated() { find . -name '*_gen*' -type f -not -path './.git/*' -exec sha256sum {} + | sort -k2; }

stage_static() {
	each staticcheck go tool -modfile=tools/go.mod staticcheck ./...
}

# stage_consumer uses this module from another one, as a user does.
stage_consumer() {
	go build -o "$CI_DIR/bin/" ./cmd/goshmem
	cd internal/ci/consumer
	each "go vet in another module" go vet ./...
	tests consumer ./...
	each "goshmem run in another module" \
		prints "sum of 4 PEs: 6" "$CI_DIR/bin/goshmem" run --no-prefix -n 4 .
}

# prints succeeds if COMMAND does and its sorted output is exactly TEXT.
prints() {
	local want=$1 got
	shift
	got=$("$@" | sort) && [[ $got == "$want" ]] && return
	printf 'want:\n%s\ngot:\n%s\n' "$want" "$got"
	return 1
}
