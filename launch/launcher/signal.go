package launcher

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// StopSignals returns a channel for Spec.Signals with the signals that ask this
// program to end. Those ignored from the start, as under nohup, stay ignored.
// From then on a broken pipe is an error of Write and no longer ends the program,
// which has ranks and temporary files to look after.
func StopSignals() <-chan os.Signal {
	stop := make(chan os.Signal, 8)
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		if !signal.Ignored(sig) {
			signal.Notify(stop, sig)
		}
	}
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	return stop
}

func stoppedBy(s os.Signal) *Error {
	code := 1
	if sig, ok := s.(syscall.Signal); ok {
		code = statusSignal + int(sig)
	}
	return &Error{code, fmt.Errorf("%w by %s", ErrStopped, signalName(s))}
}
