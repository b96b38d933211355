package host

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/goshmem/goshmem/internal/ccl"
	"github.com/goshmem/goshmem/internal/engine"
)

// What errors say was called: NCCL's names, as with the other libraries.
const (
	callID    = "ncclGetUniqueId"
	callInit  = "ncclCommInitRank"
	callSplit = "ncclCommSplit"
	callGroup = "ncclGroupEnd"
)

// fault is an error with a code.
func fault(call string, code ccl.Code, format string, args ...any) error {
	return &ccl.Error{Call: call, Code: code, Text: fmt.Sprintf(format, args...)}
}

func invalid(call, format string, args ...any) error {
	return fault(call, ccl.InvalidArgument, format, args...)
}

// differ is the error of ranks that do not do the same. NCCL has no code of its own for that.
func differ(call, format string, args ...any) error {
	return &ccl.Error{Call: call, Code: ccl.InvalidUsage, Text: fmt.Sprintf(format, args...), Err: ccl.ErrDisagree}
}

// failed gives an error a code, unless it has one.
func failed(call string, code ccl.Code, err error) error {
	if known := (*ccl.Error)(nil); errors.As(err, &known) {
		return known
	}
	return fault(call, code, "%s", ranks(err.Error()))
}

// disagree begins the reason of a rank that has found that others ask for something else.
const disagree = "ranks disagree: "

// stalled gives a code to what the engine says of a wait, or to another error of a call.
func stalled(call string, err error) error {
	code := ccl.Internal
	switch {
	case strings.Contains(err.Error(), disagree), errors.Is(err, engine.ErrMismatch):
		return disagreement(call, err)
	case errors.Is(err, engine.ErrDied), errors.Is(err, engine.ErrFailed), errors.Is(err, context.Canceled):
		code = ccl.Remote
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, engine.ErrTimeout):
		code = ccl.Timeout
	}
	return failed(call, code, err)
}

// disagreement keeps the error of one who has found it already.
func disagreement(call string, err error) error {
	if known := (*ccl.Error)(nil); errors.As(err, &known) && errors.Is(known, ccl.ErrMismatch) {
		return known
	}
	return differ(call, "%s", ranks(err.Error()))
}

// ranks has the engine speak of ranks and of communicators, as NCCL's users do.
func ranks(text string) string {
	return strings.NewReplacer("PEs ", "ranks ", "PE ", "rank ", "a PE", "a rank", "this team", "this communicator", "the team", "the communicator",
		"fcollect", "all-gather", "alltoall", "all-to-all", "allreduce", "all-reduce", "reduce scatter", "reduce-scatter",
		"GOSHMEM_TIMEOUT or Options.Timeout", "GOSHMEM_TIMEOUT").Replace(text)
}
