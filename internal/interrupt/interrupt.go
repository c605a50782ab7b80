// Package interrupt lets a command clean up when it is interrupted.
package interrupt

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// Context returns a context that is canceled, with an [Error] as the cause, by the first interrupt
// or termination signal before stop is called. That signal does not end the process at once, so
// that it can clean up. A second one does, unless a running child program gets the signals.
func Context(ctx context.Context) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	signals := make(chan os.Signal, 1)
	if list := NotIgnored(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP); len(list) > 0 {
		signal.Notify(signals, list...)
	}
	go func() {
		select {
		case s := <-signals:
			signal.Stop(signals)
			cancel(Error{s})
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel(nil)
	}
}

// NotIgnored returns the signals that this process was not started with ignored. nohup ignores
// SIGHUP, and a shell ignores keyboard signals for background processes.
func NotIgnored(signals ...os.Signal) (heeded []os.Signal) {
	for _, s := range signals {
		if !signal.Ignored(s) {
			heeded = append(heeded, s)
		}
	}
	return heeded
}

// IgnoreSIGPIPE makes writes to a pipe without a reader fail with an error, instead of ending the
// process at once: it has data to keep and files to clean up.
func IgnoreSIGPIPE() {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
}

// An Error is the signal that canceled a context.
type Error struct{ os.Signal }

func (s Error) Error() string { return s.String() }

// ExitCode returns the exit code that a shell reports for a program killed by the signal.
func (s Error) ExitCode() int {
	if n, ok := s.Signal.(syscall.Signal); ok {
		return 128 + int(n)
	}
	return 1
}
