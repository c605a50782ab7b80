//go:build unix

package spool

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/markgen/markgen/runtime/layout"
)

// A crashed is the panic value at a change at which a test simulates a crash.
type crashed struct{ change string }

// crashing runs f with a spool that crashes before its n-th change, and returns that change, or ""
// if there were fewer.
func crashing(t *testing.T, dir string, n int, f func(s *Spool) error) (change string) {
	t.Helper()
	d := disk{before: func(c string) {
		if n--; n < 0 {
			panic(crashed{c})
		}
	}}
	var s *Spool
	defer func() {
		if s != nil {
			s.Close()
		}
		if c, ok := recover().(crashed); ok {
			change = c.change
		} else if c := recover(); c != nil {
			panic(c)
		}
	}()
	s, err := open(dir, d, currentInstant)
	if err == nil {
		err = f(s)
	}
	if err != nil {
		t.Fatal(err)
	}
	return ""
}

// memoryDir returns a directory in memory if possible, as this test syncs thousands of changes.
func memoryDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "markgen-spool-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// Whatever change the process crashes before, the next one sends everything once: data of ended
// processes and of a running one, with an answer in flight, a batch that is too large, and merged
// deliveries.
func TestCrashAnywhere(t *testing.T) {
	changes := map[string]bool{}
	crashes := 0
	for n := 0; ; n++ {
		dir, r := memoryDir(t), newReceiver(t)
		r.most = 440 // so that batches are split again
		ended, other := some(12, 2), some(3, 1)
		leave(t, dir, ended.file(false))
		leave(t, dir, other.file(true))
		leave(t, dir, other.file(false))
		if err := os.WriteFile(filepath.Join(dir, layout.SpoolRefusals), []byte("++"), 0o600); err != nil {
			t.Fatal(err)
		}
		name := leave(t, dir, some(3, 1).file(true))
		end := live(t, name)
		work := func(s *Spool) error {
			for _, o := range []PackOptions{{Batch: 2 << 10, Limit: 1}, {Batch: 1 << 10}} {
				if _, err := s.Pack(t.Context(), o); err != nil {
					return err
				}
			}
			_, err := s.Send(t.Context(), r.options())
			return err
		}
		change := crashing(t, dir, n, work)
		grow(t, name, some(3, 4).file(true))
		second := crashing(t, dir, n/3, work) // and crash again
		end()
		if again := crashing(t, dir, 1<<30, work); again != "" {
			t.Fatal(again)
		}
		if strings.HasSuffix(change, ".tried") || strings.HasSuffix(second, ".tried") {
			// The answer that a batch is too large is lost: then it is set aside, as that may not
			// be the only answer.
			r.takeAside(dir)
			r.declined = 2
		}
		r.want(4, ended, other, other, some(3, 4))
		if r.declined != 2 {
			t.Errorf("%d processes declined", r.declined)
		}
		if runs, err := os.ReadDir(filepath.Join(dir, outDir)); err == nil && len(runs) > 0 {
			t.Errorf("left are %v", runs)
		}
		if t.Failed() {
			t.Fatalf("the process ended before change %d, %s, and then before %s; left is\n%.3000s", n, change, second, tree(t, dir))
		}
		if change == "" {
			break
		}
		crashes++
		changes[fmt.Sprintf("%.9s", change)] = true
	}
	if crashes < 40 || len(changes) < 5 {
		t.Errorf("only %d crashes, before %v", crashes, changes)
	}
}
