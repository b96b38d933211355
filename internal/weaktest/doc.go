// Package weaktest holds weak mode and the examples to each other: every example
// passes whatever the seed, and with one fence, quiet, wait, signal or barrier less
// it fails.
package weaktest
