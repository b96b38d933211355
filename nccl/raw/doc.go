// Package raw is NCCL and RCCL as they are: one method of [Library] for each function that
// they export to the host, in its order of arguments. Memory, streams and communicators
// are numbers. Nothing is checked and nothing is waited for, so that wrong arguments do
// what they do in C; package nccl is the one to program with.
//
// What C stores after a call has returned goes to a [Slot], and what it goes on reading is
// memory that never moves: see each method. Calls that are about the thread hold no
// thread: between GroupStart and GroupEnd, and between choosing a device and a call that
// reads it, the caller must, with runtime.LockOSThread.
//
// Errors are *[Error]; [ErrInProgress] is returned as it is. A function that the loaded
// version lacks is an error that wraps [ErrUnsupported], and names the version that has it.
package raw
