module example.org/consumer

go 1.26.0

require github.com/goshmem/goshmem v0.0.0

require (
	github.com/ebitengine/purego v0.11.3 // indirect
	golang.org/x/sys v0.50.0 // indirect
)

replace github.com/goshmem/goshmem => ../../..
