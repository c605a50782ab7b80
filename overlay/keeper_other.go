//go:build !linux

package overlay

import "errors"

// keeper is unused: only Linux has a keeper; elsewhere processes write data files themselves.
type keeper struct {
	missing  int
	warnings []string
}

func newKeeper(dir string, traced bool) (*keeper, error) { return nil, errors.ErrUnsupported }

func (k *keeper) key() string { return "" }

func (k *keeper) settle() error { return nil }

func (k *keeper) close() {}
