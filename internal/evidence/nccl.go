package evidence

import "slices"

// Where the stand-in for both libraries is called.
const (
	ncclTest  = "nccl/raw TestEveryCallHasItsArgumentsInOrder"
	ncclNames = "nccl/raw TestOtherNames"
)

// ncclRun is the record of the tests of package nccl on two H200 with NCCL 2.28.3. It has
// what they were about and that all passed, and no list of the functions that were called.
const ncclRun = "docs/results/2026-11-engines-2.md"

// ncclRan are the functions without which what that record names cannot have passed. Those
// that tests call only if the library saw a use in something, or after an error, are not
// among them.
func ncclRan() []string {
	return []string{
		"ncclGetVersion", "ncclGetUniqueId", "ncclCommInitRankConfig", "ncclCommGetAsyncError", "ncclCommCount",
		"ncclCommUserRank", "ncclGroupStart", "ncclGroupEnd", "ncclCommFinalize", "ncclCommDestroy",
		"ncclAllReduce", "ncclBroadcast", "ncclReduce", "ncclAllGather", "ncclReduceScatter", "ncclSend", "ncclRecv",
		"ncclAlltoAll", "ncclGather", "ncclScatter", // all collectives, sendrecv
		"ncclRedOpCreatePreMulSum", "ncclRedOpDestroy", // all operations
		"ncclCommSplit", "ncclCommShrink",
		"ncclCommRegister", "ncclMemAlloc", "ncclMemFree", "ncclCommWindowRegister", // registration, windows
		"ncclCommAbort", // time-out, abort in flight
	}
}

// collective is what is known of a function of NCCL or RCCL, which the same code calls. RCCL
// has run on no GPU.
func collective(library, function string) (Level, string) {
	switch {
	case function == "ncclAllToAll", function == "ncclAlltoAllv": // other names of RCCL's
		return Mock, ncclNames
	case !slices.Contains(ncclRan(), function):
		return Mock, ncclTest
	case library == "rccl":
		return SameCode, ncclRun
	}
	return Ran, ncclRun
}
