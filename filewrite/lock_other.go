//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package filewrite

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/lockedfile"
)

// Lock waits until no other process has locked the directory and locks it, by a file in the
// temporary directory. If that cannot be created, Lock returns as if the directory were locked. The
// error is that of ctx.
func Lock(ctx context.Context, dir string) (unlock func(), err error) {
	sum := sha256.Sum256([]byte(dir))
	name := filepath.Join(os.TempDir(), "markgen-"+hex.EncodeToString(sum[:8])+".lock")
	locked := make(chan func(), 1)
	go func() {
		unlock, err := lockedfile.MutexAt(name).Lock()
		if err != nil {
			unlock = func() {}
		}
		locked <- unlock
	}()
	select {
	case unlock := <-locked:
		return unlock, nil
	case <-ctx.Done():
		go func() { (<-locked)() }()
		return nil, context.Cause(ctx)
	}
}
