//go:build !linux

package overlay

import "errors"

// keeper is what Linux has: elsewhere data files are files from the beginning.
type keeper struct {
	missing  int
	warnings []string
}

func newKeeper(dir string, traced bool) (*keeper, error) { return nil, errors.ErrUnsupported }

func (k *keeper) key() string { return "" }

func (k *keeper) settle() error { return nil }

func (k *keeper) close() {}
