//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package filewrite

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"
)

// Lock waits until no other process has locked the directory and locks it, without creating a file.
// If a directory cannot be locked (on some network file systems), Lock returns as if it were. The
// error is that of ctx.
func Lock(ctx context.Context, dir string) (unlock func(), err error) {
	d, err := os.Open(dir)
	if err != nil {
		return func() {}, nil
	}
	unlock = func() { _ = d.Close() }
	for {
		err := syscall.Flock(int(d.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return unlock, nil
		}
		select {
		case <-ctx.Done():
			unlock()
			return nil, context.Cause(ctx)
		case <-time.After(20 * time.Millisecond):
		}
	}
}
