package gpu

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/goshmem/goshmem/internal/env"
)

const (
	looks    = 200 // before the first pause: most waits are short
	shortest = 5 * time.Microsecond
	longest  = time.Millisecond
	patience = 5 * time.Minute // of a wait whose context has no deadline
)

// await looks until done says so: often at first, then at growing intervals, since no
// library can break off a wait of its own.
func await(ctx context.Context, done func() (bool, error)) error {
	for range looks {
		if ok, err := done(); ok || err != nil {
			return err
		}
		runtime.Gosched()
	}
	ctx, cancel, err := bounded(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	timer := time.NewTimer(shortest)
	defer timer.Stop()
	for pause := shortest; ; pause = min(2*pause, longest) {
		if ok, err := done(); ok || err != nil {
			return err
		}
		timer.Reset(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			return late(ctx)
		}
	}
}

// bounded gives ctx a deadline if it has none.
func bounded(ctx context.Context) (context.Context, context.CancelFunc, error) {
	if _, has := ctx.Deadline(); has {
		return ctx, func() {}, nil
	}
	text := os.Getenv(env.Timeout)
	limit, err := time.ParseDuration(cmp.Or(text, patience.String()))
	if err != nil || limit <= 0 {
		return nil, nil, problem(ErrArgument, "%s=%q is not a positive duration such as 30s or 5m", env.Timeout, text)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("%w within %v (%s, or a context with a deadline, allows more)", context.DeadlineExceeded, limit, env.Timeout))
	return ctx, cancel, nil
}

// late is the error of a wait that was given up.
func late(ctx context.Context) error {
	err := context.Cause(ctx)
	if errors.Is(ctx.Err(), context.Canceled) {
		return fmt.Errorf("given up while the device was at work: %w", err)
	}
	return fmt.Errorf("%w: the device is still at work: %w", ErrTimeout, err)
}
