//go:build !unix

package overlay

import "errors"

const lockName = ".lock"

// lockDir fails: this system has no locks that end with the process.
func lockDir(string) (unlock func() error, err error) {
	return nil, errors.ErrUnsupported
}
