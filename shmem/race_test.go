//go:build race

package shmem_test

// raced says that the race detector is on, under which everything takes ten times as long.
const raced = true
