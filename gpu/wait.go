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
	spin     = time.Millisecond // before the first pause: timers are not finer
	few      = 64               // looks before others get the processor
	share    = 8                // of the time that has passed is the next pause
	longest  = time.Millisecond
	patience = 5 * time.Minute // of a wait whose context has no deadline
)

// await looks until done says so: without pause at first, as vendors' libraries do, then
// at growing intervals. Their own waits could not be broken off.
func await(ctx context.Context, done func() (bool, error)) error {
	ctx = known(ctx)
	begun := time.Now()
	for looks := 1; time.Since(begun) < spin; looks++ {
		if ok, err := done(); ok || err != nil {
			return err
		}
		if ctx.Err() != nil {
			return late(ctx)
		}
		if looks%few == 0 { // dear to a goroutine that is locked to its thread
			runtime.Gosched()
		}
	}
	ctx, cancel, err := bounded(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		if ok, err := done(); ok || err != nil {
			return err
		}
		timer.Reset(min(time.Since(begun)/share, longest))
		select {
		case <-timer.C:
		case <-ctx.Done():
			return late(ctx)
		}
	}
}

// known is ctx, or the background for nil.
func known(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}

// bounded gives ctx a deadline if it has none.
func bounded(ctx context.Context) (context.Context, context.CancelFunc, error) {
	ctx = known(ctx)
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
