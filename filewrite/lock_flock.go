//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package filewrite

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"
)

// Lock waits until no other process has locked the directory and locks it; no
// file is made. A directory that cannot be locked (some network file systems)
// is as good as locked. The error is the context's.
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
