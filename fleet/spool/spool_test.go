//go:build unix

package spool

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/profile/runfile"
	"github.com/markgen/markgen/runtime/layout"
)

// A program is what the processes of tests run: functions a00, a01 … with some calls each.
type program struct {
	version string
	times   [][]uint64 // of each function's calls, ns
}

// counts returns the number of calls by function.
func (p program) counts() map[string]uint64 {
	all := map[string]uint64{}
	for i, times := range p.times {
		all[fmt.Sprintf("example.com/shop.a%02d", i)] += uint64(len(times))
	}
	return all
}

// file returns the data file of a process that ran the program, and ended properly or was killed.
func (p program) file(killed bool) []byte { return p.run(killed).File() }

func (p program) run(killed bool) profiletest.Run {
	var text strings.Builder
	text.WriteString("p\texample.com/shop\nf\tmain.go\n")
	times := map[int][]uint64{}
	for i, list := range p.times {
		fmt.Fprintf(&text, "m\t%016x\tfunc\t0\t%d\t1\t%d\t-\t-\t1\texample.com/shop.a%02d\n", i+1, i+1, i, i)
		times[i] = list
	}
	return profiletest.Run{
		App: "alices-copy-of-shop", PID: 4711, Main: "example.com/shop", Version: p.version, CPU: "AMD EPYC 7B13", StartWall: uint64(time.Now().Add(-time.Minute).UnixNano()),
		Span: 1e9, Killed: killed, Tables: []profiletest.Table{{Text: text.String(), Times: times}},
	}
}

// some returns a program with functions that have so many calls each.
func some(functions, scopes int) program {
	p := program{version: "v1.4.2"}
	for i := range functions {
		var list []uint64
		for k := range scopes {
			list = append(list, uint64(90+7*i+13*k))
		}
		p.times = append(p.times, list)
	}
	return p
}

// leave puts a data file into a spool.
func leave(t *testing.T, dir string, file []byte) (name string) {
	t.Helper()
	name = filepath.Join(dir, newRun())
	if err := os.WriteFile(name, file, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// live makes a data file look like that of a running process, until end is called.
func live(t *testing.T, name string) (end func()) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	return func() { f.Close() }
}

// grow writes more of a process's data to its file.
func grow(t *testing.T, name string, file []byte) {
	t.Helper()
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteAt(file, 0)
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

func opened(t *testing.T, dir string) *Spool {
	t.Helper()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// An ended run is taken and sent once; what leaves the machine identifies nobody.
func TestPackAndSend(t *testing.T) {
	dir, r := t.TempDir(), newReceiver(t)
	p := some(3, 5)
	leave(t, dir, p.file(false))
	leave(t, dir, p.file(true))
	s := opened(t, dir)
	packed, err := s.Pack(t.Context(), PackOptions{})
	if err != nil || packed.Runs != 2 || packed.Batches != 2 || packed.Live != 0 {
		t.Fatalf("packed %+v, %v", packed, err)
	}
	sent, err := s.Send(t.Context(), r.options())
	if err != nil || sent.Batches != 2 || sent.Left != 0 {
		t.Fatalf("sent %+v, %v", sent, err)
	}
	r.want(2, p, p)
	for _, age := range r.ages {
		if age < 58 || age > 120 {
			t.Errorf("figures of a minute ago are said to be %d s old", age)
		}
	}
	if left, _, _ := s.size(); left > 16 {
		t.Errorf("%d bytes are left in the spool", left)
	}
	if sent, err := s.Send(t.Context(), r.options()); err != nil || sent.Batches != 0 {
		t.Errorf("again %+v, %v", sent, err)
	}
}

// A large run is sent in several batches, in order, of which only the first counts the run.
func TestBatches(t *testing.T) {
	dir, r := t.TempDir(), newReceiver(t)
	p := some(90, 3)
	leave(t, dir, p.file(false))
	s := opened(t, dir)
	packed, err := s.Pack(t.Context(), PackOptions{Batch: 1 << 10})
	if err != nil || packed.Batches < 4 {
		t.Fatalf("packed %+v, %v", packed, err)
	}
	if sent, err := s.Send(t.Context(), r.options()); err != nil || sent.Batches != packed.Batches {
		t.Fatalf("sent %+v, %v", sent, err)
	}
	for i, id := range r.order {
		if !strings.HasSuffix(id, fmt.Sprintf("/%d", i)) {
			t.Errorf("request %d is for %s", i, id)
		}
		if n := len(r.bodies[id]); n > 1<<10 {
			t.Errorf("%s has %d bytes", id, n)
		}
	}
	r.want(1, p)
}

// From a running process the new data are taken each time, as one run; in the end all have been
// taken.
func TestLive(t *testing.T) {
	dir, r := t.TempDir(), newReceiver(t)
	name := leave(t, dir, some(2, 1).file(true))
	end := live(t, name)
	s := opened(t, dir)
	for n := 1; n <= 6; n++ {
		if n > 1 {
			grow(t, name, some(2, n).file(true))
		}
		if n == 6 {
			end()
		}
		packed, err := s.Pack(t.Context(), PackOptions{})
		if err != nil || packed.Batches != 1 || packed.Live+packed.Runs != 1 || packed.Runs == 1 != (n == 6) {
			t.Fatalf("packed %+v, %v", packed, err)
		}
		if n == 3 { // nothing new
			if packed, err := s.Pack(t.Context(), PackOptions{}); err != nil || packed.Batches != 0 {
				t.Fatalf("packed %+v, %v", packed, err)
			}
		}
		if n%2 == 0 {
			if _, err := s.Send(t.Context(), r.options()); err != nil {
				t.Fatal(err)
			}
			r.want(1, some(2, n))
		}
	}
	if runs, _, _ := s.runs(); len(runs) > 0 || len(r.order) != 6 {
		t.Errorf("left are %v; requests %v", runs, r.order)
	}
	for i, id := range r.order {
		if run, _, _ := strings.Cut(r.order[0], "/"); id != fmt.Sprintf("%s/%d", run, i) {
			t.Errorf("request %d is for %s", i, id)
		}
	}
}

// A run that was sent in parts is as complete and as long as if it had been sent at its end, even
// if it has no new calls.
func TestLiveEnds(t *testing.T) {
	for _, killed := range []bool{false, true} {
		for _, more := range []int{0, 1} {
			dir, r := t.TempDir(), newReceiver(t)
			p, all := some(2, 3), some(2, 3+more)
			early, whole := p.run(true), all.run(killed)
			early.Lost, early.Span = 1, 1e9
			whole.Lost, whole.Span = 4, 6e9
			if killed && more == 0 {
				whole = early // nothing is new, except that it was killed
			}
			name := leave(t, dir, early.File())
			end := live(t, name)
			s := opened(t, dir)
			push := func() Packed {
				packed, err := s.Pack(t.Context(), PackOptions{})
				if err != nil {
					t.Fatal(err)
				}
				if _, err := s.Send(t.Context(), r.options()); err != nil {
					t.Fatal(err)
				}
				return packed
			}
			push()
			if sum := r.sum(); !sum.Complete || sum.Runs != 1 {
				t.Errorf("while it runs: %+v", sum)
			}
			grow(t, name, whole.File())
			end()
			if packed := push(); packed.Runs != 1 || packed.Batches != 1 {
				t.Errorf("packed %+v", packed)
			}
			r.want(1, all)
			want, err := runfile.ReadFrom(bytes.NewReader(whole.File()), int64(len(whole.File())), "run")
			if err != nil {
				t.Fatal(err)
			}
			if sum := r.sum(); sum.Complete == killed || sum.ElapsedNS != want.ElapsedNS || sum.Lost != whole.Lost {
				t.Errorf("killed %v: complete %v, %d ns, lost %d; want %d ns, lost %d", killed, sum.Complete, sum.ElapsedNS, sum.Lost, want.ElapsedNS, whole.Lost)
			}
			if _, err := os.Lstat(name); err == nil || len(r.order) != 2 {
				t.Errorf("%v, requests %v", err, r.order)
			}
		}
	}
}

// Deliveries are sent in the order in which they were made, by whatever process, and making one
// does not read the others.
func TestOrder(t *testing.T) {
	dir := t.TempDir()
	var made []string
	for turn := range 3 {
		s := opened(t, dir)
		for range 3 {
			leave(t, dir, some(1, 1).file(false))
			if _, err := s.Pack(t.Context(), PackOptions{}); err != nil {
				t.Fatal(err)
			}
			list, _, err := s.deliveries()
			if err != nil || len(list) != len(made)+1 {
				t.Fatalf("%d deliveries after %d, %v", len(list), len(made), err)
			}
			made = append(made, list[len(list)-1].name)
			for i, d := range list {
				if d.name != made[i] {
					t.Errorf("turn %d: %s is number %d, where %s was", turn, d.name, i, made[i])
				}
			}
		}
		s.Close()
	}
	s := opened(t, dir)
	for _, name := range made {
		if err := os.WriteFile(s.path(outDir, name, noteName), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	leave(t, dir, some(1, 1).file(false))
	if _, err := s.Pack(t.Context(), PackOptions{}); err != nil {
		t.Fatal(err)
	}
	if list, _, err := s.deliveries(); err != nil || len(list) != 1 || list[0].order != uint64(len(made))+1 {
		t.Errorf("deliveries are %+v, %v", list, err)
	}
}

// Unreadable files are moved aside, with their names; other files stay; files just created are left
// alone.
func TestUnreadable(t *testing.T) {
	dir := t.TempDir()
	sound := some(1, 1).file(false)
	cut := leave(t, dir, sound[:len(sound)-100])
	garbage := leave(t, dir, []byte("what is this"))
	young := leave(t, dir, make([]byte, 4096))
	old := leave(t, dir, make([]byte, 4096))
	long := time.Now().Add(-time.Hour)
	if err := os.Chtimes(old, long, long); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(other, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	named := filepath.Join(dir, "shop.17.markgen")
	if err := os.WriteFile(named, sound, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "run-00.markgen")); err != nil {
		t.Fatal(err)
	}
	s := opened(t, dir)
	packed, err := s.Pack(t.Context(), PackOptions{})
	if err != nil || len(packed.Unreadable) != 3 || packed.Batches != 0 {
		t.Fatalf("packed %+v, %v", packed, err)
	}
	for _, name := range []string{cut, garbage, filepath.Join(dir, "run-00.markgen")} {
		if _, err := os.Lstat(filepath.Join(dir, unreadableDir, filepath.Base(name))); err != nil {
			t.Error(err)
		}
	}
	if want := "data files of other names stay, such as " + named + " (1 in all): "; len(packed.Notes) != 1 || !strings.HasPrefix(packed.Notes[0], want) {
		t.Errorf("notes %q, want %q", packed.Notes, want)
	}
	for name, there := range map[string]bool{young: true, other: true, named: true, old: false, cut: false} {
		if _, err := os.Lstat(name); err == nil != there {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A spool that exceeds its limit merges what was not tried, by origin and day. Nothing is lost, and
// what was tried stays as it is.
func TestLimit(t *testing.T) {
	dir, r := t.TempDir(), newReceiver(t)
	s := opened(t, dir)
	p, other := some(40, 3), some(40, 2)
	other.version = "v2.0.0"
	leave(t, dir, p.file(false))
	if _, err := s.Pack(t.Context(), PackOptions{}); err != nil {
		t.Fatal(err)
	}
	r.refuse = 503
	if _, err := s.Send(t.Context(), r.options()); err == nil {
		t.Fatal("it was sent")
	}
	tried := r.order[0]
	for range 20 {
		leave(t, dir, p.file(false))
		leave(t, dir, other.file(false))
	}
	packed, err := s.Pack(t.Context(), PackOptions{Limit: 30 << 10})
	if err != nil || packed.Merged != 40 || packed.Over != 0 {
		t.Fatalf("packed %+v, %v", packed, err)
	}
	if packed, err = s.Pack(t.Context(), PackOptions{Limit: 100}); err != nil || packed.Over <= 0 {
		t.Fatalf("packed %+v, %v", packed, err)
	}
	r.refuse = 0
	if _, err := s.Send(t.Context(), r.options()); err != nil {
		t.Fatal(err)
	}
	if r.bodies[tried] == nil || len(r.bodies) != 3 {
		t.Errorf("batches %d; what was tried came: %v", len(r.bodies), r.bodies[tried] != nil)
	}
	var all []program
	for range 20 {
		all = append(all, p, other)
	}
	r.want(41, append(all, p)...)
}

// Processes that did not collect are reported once.
func TestDeclined(t *testing.T) {
	dir, r := t.TempDir(), newReceiver(t)
	if err := os.WriteFile(filepath.Join(dir, layout.SpoolRefusals), []byte("+++"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := opened(t, dir)
	for i := range 3 {
		packed, err := s.Pack(t.Context(), PackOptions{})
		if want := []int64{3, 3, 0}[i]; err != nil || packed.Declined != want {
			t.Fatalf("packed %+v, %v", packed, err)
		}
		leave(t, dir, some(1, 1).file(false))
	}
	if _, err := s.Pack(t.Context(), PackOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Send(t.Context(), r.options()); err != nil || r.declined != 3 {
		t.Errorf("%d processes declined, %v", r.declined, err)
	}
}

// Only one process works on a spool at a time.
func TestBusy(t *testing.T) {
	dir := t.TempDir()
	s := opened(t, dir)
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), ErrBusy.Error()) {
		t.Errorf("a second time: %v", err)
	}
	s.Close()
	opened(t, dir)
}

// Ages are by a clock that can't be set, where there is one, and never negative.
func TestAge(t *testing.T) {
	const s = int64(time.Second)
	for _, tt := range []struct {
		from, to instant
		want     time.Duration
	}{
		{instant{WallNS: 100 * s}, instant{WallNS: 130 * s}, 30 * time.Second},
		{instant{WallNS: 100 * s}, instant{WallNS: 70 * s}, 0},
		{instant{100 * s, "a", 5 * s}, instant{50 * s, "a", 9 * s}, 4 * time.Second},
		{instant{100 * s, "a", 5 * s}, instant{9000 * s, "a", 9 * s}, 4 * time.Second},
		{instant{100 * s, "a", 500 * s}, instant{160 * s, "b", 9 * s}, time.Minute},
	} {
		n := note{AgeNS: 10 * s, Frozen: tt.from}
		if got := n.age(tt.to); got != tt.want+10*time.Second {
			t.Errorf("from %v to %v: %v", tt.from, tt.to, got)
		}
	}
	if n := (note{AgeNS: -5 * s}); n.age(instant{}) != 0 {
		t.Errorf("an age of %v", n.age(instant{}))
	}
}

// Call paths stay on the machine unless they are asked for, and push says so.
func TestPathsStay(t *testing.T) {
	dir := t.TempDir()
	for range 2 {
		leave(t, dir, profiletest.DemoPathRun().File())
	}
	packed, err := opened(t, dir).Pack(t.Context(), PackOptions{})
	if err != nil || packed.Runs != 2 {
		t.Fatal(packed, err)
	}
	if want := []string{"call paths of 2 runs are not sent; -paths sends them, with their labels"}; !slices.Equal(packed.Notes, want) {
		t.Errorf("notes %q, want %q", packed.Notes, want)
	}
}
