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

// crashed is what a change panics with at which a test ends the process, as it were.
type crashed struct{ change string }

// crashing runs f with a spool that is gone before its n-th change, and says which that was, "" if there were less.
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
	s, err := open(dir, d, thisMoment)
	if err == nil {
		err = f(s)
	}
	if err != nil {
		t.Fatal(err)
	}
	return ""
}

// memoryDir is a directory in memory where there is such, since a test of thousands of changes has each synced.
func memoryDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "markgen-spool-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// Whatever change the process ends before, who comes next sends all of it, and once: of processes that ended and of one
// that runs, with an answer that was on its way, a batch that is too large, and deliveries that are added up.
func TestCrashAnywhere(t *testing.T) {
	changes := map[string]bool{}
	crashes := 0
	for n := 0; ; n++ {
		dir, r := memoryDir(t), newReceiver(t)
		r.most = 440 // so that batches are cut again
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
		second := crashing(t, dir, n/3, work) // and once more
		end()
		if again := crashing(t, dir, 1<<30, work); again != "" {
			t.Fatal(again)
		}
		if strings.HasSuffix(change, ".tried") || strings.HasSuffix(second, ".tried") {
			// The answer that a batch is too large is lost: it stands aside then, as it is not known that it is the only one.
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
