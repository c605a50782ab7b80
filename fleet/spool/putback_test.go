//go:build unix

package spool

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A batch that the service refused is sent again on request, under its run and sequence and with
// its age; refused again, it is set aside as before.
func TestPutBack(t *testing.T) {
	dir, r := t.TempDir(), newReceiver(t)
	p := some(30, 2)
	leave(t, dir, p.file(false))
	s := opened(t, dir)
	packed, err := s.Pack(t.Context(), PackOptions{Batch: 1 << 10})
	if err != nil || packed.Batches < 2 {
		t.Fatalf("%+v, %v", packed, err)
	}
	real := s.now
	s.now = func() instant { m := real(); return instant{WallNS: m.WallNS + int64(50*time.Hour)} }
	other := filepath.Join(dir, refusedDir, "notes.txt")
	for range 3 {
		r.refuse = 422
		sent, err := s.Send(t.Context(), r.options())
		if err != nil || len(sent.Refused) != packed.Batches || sent.Left != 0 {
			t.Fatalf("%+v, %v", sent, err)
		}
		if files, err := os.ReadDir(filepath.Join(dir, refusedDir)); err != nil || len(files) != 2*packed.Batches {
			t.Fatalf("aside are %v, %v", files, err)
		}
		if n, err := s.PutBack(); n != packed.Batches || err != nil {
			t.Fatalf("%d are put back, %v", n, err)
		}
		if files, err := os.ReadDir(filepath.Join(dir, refusedDir)); err != nil || len(files) != 0 {
			t.Fatalf("aside are %v, %v", files, err)
		}
	}
	if err := os.WriteFile(other, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if n, err := s.PutBack(); n != 0 || err != nil {
		t.Errorf("%d are put back, %v", n, err)
	}
	r.refuse, r.order = 0, nil
	if sent, err := s.Send(t.Context(), r.options()); err != nil || sent.Batches != packed.Batches || sent.Left != 0 {
		t.Fatalf("%+v, %v", sent, err)
	}
	r.want(1, p)
	for _, age := range r.ages {
		if hours := time.Duration(age) * time.Second / time.Hour; hours != 50 {
			t.Errorf("figures of 50 hours ago are said to be %d hours old", hours)
		}
	}
	if _, err := os.Stat(other); err != nil {
		t.Error(err)
	}
}

// Whatever change the process crashes before, a batch put back is sent, and one refused again is
// set aside.
func TestPutBackCrash(t *testing.T) {
	for n := 0; ; n++ {
		dir, r := memoryDir(t), newReceiver(t)
		p := some(20, 2)
		leave(t, dir, p.file(false))
		refused := func(s *Spool) error {
			r.refuse = 422
			if _, err := s.Pack(t.Context(), PackOptions{Batch: 1 << 10}); err != nil {
				return err
			}
			_, err := s.Send(t.Context(), r.options())
			return err
		}
		again := func(s *Spool) error {
			if _, err := s.PutBack(); err != nil {
				return err
			}
			_, err := s.Send(t.Context(), r.options())
			return err
		}
		crashing(t, dir, 1<<30, refused)
		change := crashing(t, dir, n, again) // and is refused again
		crashing(t, dir, n/2, again)
		r.refuse = 0
		crashing(t, dir, 1<<30, again)
		if r.want(1, p); t.Failed() {
			t.Fatalf("the process ended before change %d, %s; left is\n%.3000s", n, change, tree(t, dir))
		}
		if change == "" {
			break
		}
	}
}
