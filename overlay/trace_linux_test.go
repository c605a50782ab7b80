package overlay_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/markgen/markgen/profile/trace"
	"github.com/markgen/markgen/tier"
)

// traced is a program whose trace records are known. The first argument is what it does, the second
// the number of goroutines, the third the number of repetitions.
const traced = `package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"time"
)

//perf:mark
func outer(i int) {
	//perf:point before
	inner(i)
}

//perf:mark
func inner(i int) {
	if i%64 == 0 {
		runtime.Gosched()
	}
}

//perf:mark
func out(n int) {
	if n == 0 {
		panic("out")
	}
	out(n - 1)
}

//perf:mark
func caught() {
	defer func() { recover() }()
	out(3)
}

//perf:mark
func sleep(d time.Duration) {
	time.Sleep(d)
	//perf:point slept
	time.Sleep(d)
}

func main() {
	goroutines, _ := strconv.Atoi(os.Args[2])
	times, _ := strconv.Atoi(os.Args[3])
	var all sync.WaitGroup
	begin := time.Now()
	for g := range goroutines {
		all.Go(func() {
			for i := range times {
				switch os.Args[1] {
				case "pass":
					outer(i)
				case "paced": // a million records a second
					outer(i)
					if ahead := time.Duration(5*goroutines*i)*time.Microsecond - time.Since(begin); ahead > time.Millisecond {
						time.Sleep(ahead)
					}
				case "forever":
					if i == 0 {
						fmt.Println(os.Getpid())
						for time.Since(begin) < time.Minute {
							outer(i)
						}
					}
				case "panic":
					caught()
				case "sleep":
					sleep(5 * time.Millisecond)
				case "log":
					outer(i)
					os.Stdout.WriteString(fmt.Sprintln(g, i))
				}
			}
		})
	}
	all.Wait()
}
`

// tracedProgram builds traced with the given flags of markgen build.
func tracedProgram(t *testing.T, flags ...string) *keptProgram {
	t.Helper()
	dir := module(t, map[string]string{"main.go": traced})
	k := &keptProgram{trapMarkgen(t), filepath.Join(dir, "traced"), t.TempDir()}
	if text, err := markgenIn(t, dir, t.TempDir(), append(append([]string{"build"}, flags...), "-o", k.program, ".")...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return k
}

// alone runs the program without markgen, with MARKGEN set to config and its data in the file data.
func (k *keptProgram) alone(t *testing.T, config string, args ...string) *trace.File {
	t.Helper()
	cmd := exec.Command(k.program, args...)
	cmd.Dir = k.dir
	cmd.Env = append(os.Environ(), "MARKGEN="+config+",file=data")
	if text, err := cmd.CombinedOutput(); err != nil || len(text) > 0 {
		t.Fatalf("%v\n%s", err, text)
	}
	return k.trace(t)
}

func (k *keptProgram) trace(t *testing.T) *trace.File {
	t.Helper()
	tr, err := trace.Open(filepath.Join(k.dir, "data"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tr.Close() })
	return tr
}

// steps returns the records of each goroutine, as words, and the number of records reported
// missing.
func steps(t *testing.T, tr *trace.File) (by map[uint64][]string, missing uint64) {
	t.Helper()
	by = map[uint64][]string{}
	last := map[uint64]uint64{}
	n := uint64(0)
	err := tr.Each(func(r *trace.Record) {
		if r.Kind == trace.RecordGap {
			missing += r.Goroutine
			return
		}
		n++
		if r.Kind == trace.RecordTaken {
			return
		}
		if r.Tick < last[r.Goroutine] {
			t.Errorf("goroutine %d goes back by %d ticks", r.Goroutine, last[r.Goroutine]-r.Tick)
		}
		last[r.Goroutine] = r.Tick
		name := tr.Markers[r.Marker].Name
		name = name[strings.LastIndexAny(name, ".:")+1:]
		by[r.Goroutine] = append(by[r.Goroutine], fmt.Sprintf("%s%s%d", name, [...]string{"", ".", "+", "-", "!"}[r.Kind], r.Level))
	})
	if err != nil {
		t.Error(err)
	}
	gaps := tr.Records - n // gaps are written as records, too
	if gaps > missing {
		t.Errorf("%d records, and %d are said to be there", n, tr.Records)
	}
	return by, missing
}

const aPass = "outer+1 before.0 inner+2 inner-2 outer-1 "

// The trace has the scopes of each goroutine, in order, with timing or without, in every form of
// marking, also under the race detector.
func TestTrace(t *testing.T) {
	tier.Test(t)
	t.Parallel()
	for _, flags := range [][]string{nil, {"-race"}, {"-form", "guarded"}} {
		t.Run(strings.Join(flags, ""), func(t *testing.T) {
			if flags != nil {
				tier.Corpus(t)
			}
			t.Parallel()
			k := tracedProgram(t, flags...)
			for _, config := range []string{"collect=trace", "collect=time+trace", "collect=trace,clock=mono", "collect=trace,noself"} {
				for _, goroutines := range []int{1, 8, 200} {
					times := 20_000 / goroutines
					if len(flags) > 0 {
						times /= 10
					}
					tr := k.alone(t, config+",buffer=16M", "pass", strconv.Itoa(goroutines), strconv.Itoa(times))
					by, missing := steps(t, tr)
					if len(by) != goroutines || missing != 0 || tr.Lost != 0 || tr.Damaged || len(tr.Warnings) > 0 {
						t.Errorf("%s: %d goroutines, want %d; %d records missing, %d lost; %q", config, len(by), goroutines, missing, tr.Lost, tr.Warnings)
					}
					for g, list := range by {
						if got := strings.Join(list, " ") + " "; got != strings.Repeat(aPass, times) {
							t.Errorf("%s: goroutine %d of %d: %d steps beginning with %.200s", config, g, goroutines, len(list), got)
						}
					}
					b := between(t, tr, "outer", "inner")
					if b.Count != uint64(goroutines*times) || b.Unpaired != 0 {
						t.Errorf("%s: %d pairs, %d unpaired", config, b.Count, b.Unpaired)
					}
				}
			}
		})
	}
}

func between(t *testing.T, tr *trace.File, from, to string) *trace.Between {
	t.Helper()
	var b trace.Between
	var err error
	if b.From, b.To, err = trace.Endpoints(from, to, tr.Markers); err != nil {
		t.Fatal(err)
	}
	if err := b.Add(tr); err != nil {
		t.Error(err)
	}
	return &b
}

// A ring that is not drained keeps the newest records of its processor, one fewer than it has space
// for.
func TestTraceNewest(t *testing.T) {
	t.Parallel()
	k := tracedProgram(t)
	for _, tt := range []struct {
		buffer     int
		goroutines int
	}{{4096, 1}, {8191, 1}, {64 << 10, 8}, {100_000, 200}} {
		times := 40_000 / tt.goroutines
		total := uint64(5 * tt.goroutines * times)
		tr := k.alone(t, fmt.Sprintf("collect=trace,buffer=%d", tt.buffer), "pass", strconv.Itoa(tt.goroutines), strconv.Itoa(times))
		by, missing := steps(t, tr)
		if missing != tr.Lost || tr.Lost == 0 {
			t.Errorf("%d bytes: %d records missing, %d lost", tt.buffer, missing, tr.Lost)
		}
		// There may be additional records of overhead at first executions of markers, from each
		// goroutine that reached them at the time.
		if all := tr.Records + tr.Lost; all < total || all > total+100+uint64(tt.goroutines) {
			t.Errorf("%d bytes: %d records are there and %d lost, of %d", tt.buffer, tr.Records, tr.Lost, total)
		}
		most := uint64(tt.buffer/32-1) * 2 // two processors are usual here, more are possible
		if n := tr.Records; n < uint64(tt.buffer/32-1) || len(by) == 1 && n > most*16 {
			t.Errorf("%d bytes: %d records are there", tt.buffer, n)
		}
		ended := 0
		for _, list := range by {
			if list[len(list)-1] == "outer-1" {
				ended++
			}
			if tt.goroutines > 1 {
				continue // parts of a goroutine's records were overwritten on busy rings
			}
			got := strings.Join(list, " ") + " "
			if n := min(len(got), 20*len(aPass)); !strings.HasSuffix(strings.Repeat(aPass, times), got[len(got)-n:]) {
				t.Errorf("%d bytes: the end is …%s", tt.buffer, got[max(0, len(got)-200):])
			}
		}
		if ended == 0 {
			t.Errorf("%d bytes: no goroutine's end is there", tt.buffer)
		}
	}
}

// A scope left by a panic is recorded as left, by the next scope that is executed.
func TestTracePanic(t *testing.T) {
	t.Parallel()
	k := tracedProgram(t)
	for _, config := range []string{"collect=trace", "collect=trace+time"} {
		tr := k.alone(t, config, "panic", "3", "5")
		by, _ := steps(t, tr)
		const once = "caught+1 out+2 out+3 out+4 out+5 out!5 out!4 out!3 out!2 caught-1 "
		for g, list := range by {
			if got := strings.Join(list, " ") + " "; got != strings.Repeat(once, 5) {
				t.Errorf("%s: goroutine %d: %s", config, g, got)
			}
		}
		if b := between(t, tr, "out", "out"); b.Count != 0 || b.Unpaired != 3*5*4 {
			t.Errorf("%s: %d pairs of out, %d unpaired", config, b.Count, b.Unpaired)
		}
		if b := between(t, tr, "caught", "caught"); b.Count != 3*5 || b.Unpaired != 0 {
			t.Errorf("%s: %d pairs of caught, %d unpaired", config, b.Count, b.Unpaired)
		}
	}
}

// Times between markers are the times for which the program sleeps: none is shorter, and those of a
// goroutine add up to no more than the program's running time.
func TestTraceBetween(t *testing.T) {
	t.Parallel()
	k := tracedProgram(t)
	begin := time.Now()
	tr := k.alone(t, "collect=trace", "sleep", "8", "10")
	ran := time.Since(begin)
	for _, tt := range []struct {
		from, to string
		ms       float64
	}{{"sleep", "sleep", 10}, {"sleep", "slept", 5}, {"slept", "sleep@exit", 5}} {
		b := between(t, tr, tt.from, tt.to)
		if b.Count != 80 || b.Unpaired != 0 || b.MinNS < tt.ms*1e6 || b.MeanNS()*80/8 > float64(ran) {
			t.Errorf("%s to %s: %d pairs, %d unpaired, %v ns on average, %v to %v, in %v", tt.from, tt.to, b.Count, b.Unpaired, b.MeanNS(), b.MinNS, b.MaxNS, ran)
		}
	}
}

// A process that is killed leaves all records until then.
func TestTraceKilled(t *testing.T) {
	t.Parallel()
	k := tracedProgram(t)
	for _, config := range []string{"collect=trace", "collect=time+trace"} {
		cmd := exec.Command(k.program, "log", "4", "1000000")
		cmd.Dir = k.dir
		cmd.Env = append(os.Environ(), "MARKGEN="+config+",file=data")
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		logged := map[string]int{}
		lines := bufio.NewScanner(out)
		for n := 0; lines.Scan(); n++ {
			g, _, _ := strings.Cut(lines.Text(), " ")
			logged[g]++
			if n == 5000 {
				cmd.Process.Kill()
			}
		}
		cmd.Wait()
		tr := k.trace(t)
		by, missing := steps(t, tr)
		least, most := 0, 0
		for _, n := range logged {
			least += n
		}
		for _, list := range by {
			got := strings.Join(list, " ") + " "
			if !strings.HasPrefix(strings.Repeat(aPass, len(list)/5+1), got) {
				t.Errorf("%s: steps end with %s", config, got[max(0, len(got)-200):])
			}
			most += (len(list) + 4) / 5
		}
		if most < least || most > least+4 || missing != 0 {
			t.Errorf("%s: %d scopes in the trace, %d were logged, %d records missing", config, most, least, missing)
		}
	}
}

// If the disk can keep up with the rate of records, all are kept, although the rings have space for
// only a fraction.
func TestTraceDrained(t *testing.T) {
	tier.Test(t)
	k := tracedProgram(t)
	const times = 100_000
	for _, tt := range []struct {
		config     string
		goroutines int
	}{{"collect=trace,buffer=8M", 1}, {"collect=trace,buffer=8M", 4}, {"collect=time+trace,buffer=8M", 1}} {
		cmd := k.exec("paced", "MARKGEN="+tt.config)
		cmd.Args = append(cmd.Args, strconv.Itoa(tt.goroutines), strconv.Itoa(times))
		if text, err := cmd.CombinedOutput(); err != nil || len(text) > 0 {
			t.Fatalf("%v\n%s", err, text)
		}
		tr := k.trace(t)
		by, missing := steps(t, tr)
		if tr.Lost != 0 || missing != 0 || tr.Damaged || tr.Records < uint64(5*times*tt.goroutines) {
			t.Errorf("%s: %d records, %d lost, %d missing; %q", tt.config, tr.Records, tr.Lost, missing, tr.Warnings)
		}
		for g, list := range by {
			if got := strings.Join(list, " ") + " "; got != strings.Repeat(aPass, times) {
				t.Errorf("%s: goroutine %d: %d steps", tt.config, g, len(list))
			}
		}
		info, err := os.Lstat(filepath.Join(k.dir, "data"))
		if err != nil || info.Mode().Perm() != 0o600 || !info.Mode().IsRegular() {
			t.Errorf("%v %v", info, err)
		}
	}
}

// When markgen is killed, the rings are not drained any more, and keep the newest records again.
func TestTraceDrainerKilled(t *testing.T) {
	t.Parallel()
	k := tracedProgram(t)
	cmd := k.exec("forever", "MARKGEN=collect=trace,buffer=64K")
	cmd.Args = append(cmd.Args, "1", "1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Fscan(out, &pid); err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(pid, syscall.SIGKILL)
	cmd.Process.Kill()
	cmd.Wait()
	data := ""
	for fd := 60; data == ""; fd++ {
		path := fmt.Sprintf("/proc/%d/fd/%d", pid, fd)
		if target, err := os.Readlink(path); err != nil {
			t.Fatal(err)
		} else if strings.Contains(target, "markgen") {
			data = path
		}
	}
	// last returns the tick of the newest record so far.
	last := func() (tick uint64) {
		tr, err := trace.Open(data)
		if err != nil {
			t.Fatal(err)
		}
		defer tr.Close()
		if err := tr.Each(func(r *trace.Record) { tick = max(tick, r.Tick) }); err != nil {
			t.Error(err)
		}
		return tick
	}
	for begin := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		first := last()
		time.Sleep(10 * time.Millisecond)
		if second := last(); second > first && time.Since(begin) > 100*time.Millisecond {
			break
		}
		if time.Since(begin) > 20*time.Second {
			t.Fatal("no newer record is kept")
		}
	}
}
