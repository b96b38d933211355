//go:build !race

package shmem_test

const raced = false
