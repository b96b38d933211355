package launcher

import (
	"context"
	"os"
)

// Until calls f with a context that ends when a signal arrives, and then
// returns the error that Run returns for a signal.
func Until(ctx context.Context, signals <-chan os.Signal, f func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	done, stopped := make(chan struct{}), make(chan error)
	go func() {
		var err error
		select {
		case sig := <-signals:
			err = stoppedBy(sig)
			cancel(err)
		case <-done:
		}
		stopped <- err
	}()
	err := f(ctx)
	close(done)
	if sig := <-stopped; sig != nil {
		err = sig
	}
	cancel(nil)
	return err
}
