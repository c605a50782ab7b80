package store_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/markgen/markgen/fleet/store"
)

// Who leaves while a transaction begins leaves none behind that nobody ends.
func TestLeave(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "fleet.db"), store.Options{})
	for i := range 2000 {
		ctx, stop := context.WithTimeout(context.Background(), time.Duration(i%100)*5*time.Microsecond)
		_ = s.Ping(ctx)
		stop()
	}
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	if err := s.Ping(ctx); err != nil {
		t.Error(err)
	}
}
