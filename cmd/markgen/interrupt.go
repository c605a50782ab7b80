package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/markgen/markgen/overlay"
)

// interruptible returns a context that ends when this process is told to end. The first signal until stop is called does not
// end it at once: it has things to put away. A second one does, unless a program runs that signals are passed on to.
func interruptible(ctx context.Context) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	signals := make(chan os.Signal, 1)
	if list := overlay.Heeded(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP); len(list) > 0 {
		signal.Notify(signals, list...)
	}
	go func() {
		select {
		case s := <-signals:
			signal.Stop(signals)
			cancel(signalError{s})
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel(nil)
	}
}

// endable returns a context that ends when this process is interrupted or told to end. That does not end it at once; a second time
// does, and so does the first after stop has been called.
func endable(ctx context.Context) (_ context.Context, stop func()) {
	list := overlay.Heeded(os.Interrupt, syscall.SIGTERM)
	if len(list) == 0 {
		return context.WithCancel(ctx)
	}
	ctx, stop = signal.NotifyContext(ctx, list...)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// outliveReader has writing to a pipe whose reader has gone fail, as writing elsewhere may, where it would end this
// process at once: it has data to keep and files to put away.
func outliveReader() {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
}

// A signalError is the signal that a context ended by.
type signalError struct{ os.Signal }

func (s signalError) Error() string { return s.String() }

// exitCode is what a shell has for a program that the signal ended.
func (s signalError) exitCode() int {
	if n, ok := s.Signal.(syscall.Signal); ok {
		return 128 + int(n)
	}
	return exitFailure
}
