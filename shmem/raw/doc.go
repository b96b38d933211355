// Package raw has one flat function for each host function of rocSHMEM, for code
// that comes from rocshmem4py or C: names without the prefix rocshmem_, the same
// arguments in the same order, addresses as uintptr. docs/from-rocshmem4py.md lists
// all names, and what package shmem has in their place, which is what new code
// should use: it knows types and lengths.
//
// What differs from C: the world comes first, where a call has no team to tell it;
// before it a context, in calls that can wait for another PE; errors are returned.
// A team is a *shmem.Team: nil is ROCSHMEM_TEAM_INVALID. A number that may be SIZE_MAX
// in C is an int, and -1 then. The status of a wait on several elements is the address
// of an int32 for each, and 0 where C has none.
//
// In a collective that moves data an address that is wrong on one PE is an error on all
// members of the team. Those that need not wait for that PE get it in their next
// collective. Afterwards the team does no other.
//
// # Addresses
//
// Symmetric objects are named by the address of this PE's own copy, as always in
// OpenSHMEM. Their addresses are checked: one that is not in the symmetric heap, or
// where no allocation is, or from where an operation would go past the end of its
// allocation, or that is misaligned, is an error. [shmem.ObjectAt] makes such an
// address an array, whose Local method gives the memory as a slice.
//
// The local side of a transfer may also be any other memory of the process. That
// cannot be checked, and Go's garbage collector does not follow addresses: pin the
// memory with [runtime.Pinner] until the call has returned, or until Quiet for
// non-blocking forms.
package raw

//go:generate go run ../../internal/rawgen ../..
