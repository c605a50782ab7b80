// Package interrupt lets a command put its things away when it is told to end.
package interrupt

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// Context returns a context that ends when this process is told to end, by an [Error]. The first
// signal until stop is called does not end the process at once: it has things to put away. A second
// one does, unless a program runs that signals are passed on to.
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

// NotIgnored are those of the signals that this process was not started to ignore, as nohup does
// with that of a hangup and a shell with those of the keyboard for what it starts in the
// background.
func NotIgnored(signals ...os.Signal) (heeded []os.Signal) {
	for _, s := range signals {
		if !signal.Ignored(s) {
			heeded = append(heeded, s)
		}
	}
	return heeded
}

// IgnoreSIGPIPE has writing to a pipe whose reader has gone fail, as writing elsewhere may, where it would end this
// process at once: it has data to keep and files to put away.
func IgnoreSIGPIPE() {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
}

// An Error is the signal that a context ended by.
type Error struct{ os.Signal }

func (s Error) Error() string { return s.String() }

// ExitCode is what a shell has for a program that the signal ended.
func (s Error) ExitCode() int {
	if n, ok := s.Signal.(syscall.Signal); ok {
		return 128 + int(n)
	}
	return 1
}
