// Package shmemtest runs tests of code that uses symmetric memory.
//
// [Run] runs the PEs as goroutines inside the test: it works on every operating
// system, and the race detector sees symmetric memory. [RunProcesses] runs each
// PE as a process, by starting the test binary again.
//
// When the test binary itself was started as a rank of a job (goshmem test,
// mpirun -n 4 ./x.test, torchrun), both join that job instead, and the world has
// the size of the job: so test bodies ask the world for its size. The ranks must
// then run the same tests in the same order: no t.Parallel, no shuffling.
//
// Bodies run on goroutines of their own. FailNow, Fatal and Skip of the
// testing.TB that they get end the calling PE only; the waits of the other PEs
// then return an error, so that the whole test ends. A test that skips must skip on
// all PEs alike. RunProcesses bodies run in other processes: variables that they set are
// not set in the test; off Linux the test fails.
package shmemtest
