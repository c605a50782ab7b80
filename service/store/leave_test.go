package store_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/markgen/markgen/service/store"
)

// A caller whose context is canceled while a transaction begins leaves no open transaction behind.
func TestLeave(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "fleet.db"), store.Options{})
	for i := range 2000 {
		ctx, stop := context.WithTimeout(context.Background(), time.Duration(i%100)*5*time.Microsecond)
		_ = s.RevokeToken(ctx, "none")
		stop()
	}
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	if err := s.RevokeToken(ctx, "none"); !errors.Is(err, store.ErrNotFound) {
		t.Error(err)
	}
}
