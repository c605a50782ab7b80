// Command demo is marked by hand the way the command marks programs. Its first
// argument says what it does, the second how often.
package main

import (
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	markgen_perf "markgen/perf"
)

// early is initialised before the table is registered: its marker is entered
// under a provisional index.
var early = func() int { return add(1, 2) }()

var (
	markgen_m [8]markgen_perf.Marker
	markgen_c [3]markgen_perf.Counter
)

const markgen_t = "p\tdemo\n" +
	"f\tmain.go\n" +
	"m\t0000000000000001\tfunc\t0\t10\t1\t0\t-\t-\t1\tdemo.main\n" +
	"m\t0000000000000002\tfunc\t0\t11\t1\t1\t-\t-\t1\tdemo.work\n" +
	"m\t0000000000000003\tloop\t0\t12\t1\t1\t-\t-\t1\tdemo.work:for#1\n" +
	"m\t0000000000000004\tfunc\t0\t13\t1\t3\t-\t-\t1\tdemo.add\n" +
	"m\t0000000000000005\tfunc\t0\t14\t1\t4\t-\t-\t1\tdemo.leave\n" +
	"m\t0000000000000006\tpoint\t0\t15\t1\t5\t-\t-\t1\tdemo.tick\n" +
	"m\t0000000000000007\tfunc\t0\t16\t1\t6\t-\t-\t1\tdemo.(*T).Never\n" +
	"m\t0000000000000008\tfunc\t0\t17\t1\t7\tc\t-\t1\tdemo.pass\n" +
	"b\t0\t1\t1\t2\t2\t1\n" +
	"c\t0000000000000009\tblock\t0\t18\t1\tdemo.counted\n" +
	"c\t000000000000000a\tblock\t0\t19\t1\tdemo.uncounted\n" +
	"x\tlines of unknown kinds are passed over\n"

var markgen_on = markgen_perf.Register(&markgen_m[0], len(markgen_m), &markgen_c[0], len(markgen_c), markgen_t)

// work passes its loop n times.
func work(n int) (sum int) {
	if markgen_m[1].Off == 0 {
		var markgen_s [2]markgen_perf.Scope
		defer markgen_perf.Close(markgen_s[:])
		markgen_s[0].Enter(&markgen_m[1])
		for i := range n {
			markgen_s[1].Enter(&markgen_m[2])
			if i%2 == 1 {
				markgen_s[1].Exit()
				continue
			}
			markgen_perf.Count(&markgen_c[1])
			sum = add(sum, i)
			markgen_s[1].Exit()
		}
		return sum
	}
	for i := range n {
		if i%2 == 1 {
			continue
		}
		markgen_perf.Count(&markgen_c[1]) // has no gate
		sum = add(sum, i)
	}
	return sum
}

func add(a, b int) int {
	defer markgen_perf.Enter(&markgen_m[3]).Exit()
	return a + b
}

// leave calls f, which does not return.
func leave(f func()) {
	if markgen_m[4].Off == 0 {
		var markgen_s [1]markgen_perf.Scope
		defer markgen_perf.Close(markgen_s[:])
		markgen_s[0].Enter(&markgen_m[4])
		f()
		return
	}
	f()
}

// workers runs work(10) n times on each of g goroutines that keep moving
// between processors.
func workers(g, n int) {
	var wg sync.WaitGroup
	for range g {
		wg.Go(func() {
			for i := range n {
				var s markgen_perf.Scope
				s.Enter(&markgen_m[4])
				work(10)
				if i%16 == 0 {
					runtime.Gosched()
				}
				s.Exit()
			}
		})
	}
	wg.Wait()
}

func ready() {
	fmt.Println("ready")
	os.Stdout.Sync()
}

func main() {
	markgen_finish()
	if markgen_m[0].Off == 0 {
		var markgen_s [1]markgen_perf.Scope
		defer markgen_perf.Close(markgen_s[:])
		markgen_s[0].Enter(&markgen_m[0])
	}
	what, n := os.Args[1], 1
	if len(os.Args) > 2 {
		n, _ = strconv.Atoi(os.Args[2])
	}
	switch what {
	case "work":
		for range n {
			work(10)
			markgen_perf.Point(&markgen_m[5])
			markgen_perf.Pass(&markgen_m[7])
		}
		fmt.Println("sum", work(10), markgen_perf.On, markgen_on)
	case "workers":
		workers(50, n)
	case "million": // scopes, on n goroutines that leave their processor inside some of them
		var wg sync.WaitGroup
		for g := range n {
			wg.Go(func() {
				var s markgen_perf.Scope
				for i := g; i < 1_000_000; i += n {
					s.Enter(&markgen_m[4])
					if i%1024 == 0 {
						runtime.Gosched()
					}
					s.Exit()
				}
			})
		}
		wg.Wait()
	case "procs":
		stop := make(chan bool)
		go func() {
			for k := 1; ; k = k%7 + 1 {
				select {
				case <-stop:
					return
				default:
					runtime.GOMAXPROCS(k)
					time.Sleep(time.Millisecond)
				}
			}
		}()
		workers(20, n)
		close(stop)
	case "panic":
		work(10)
		leave(func() { panic("out") })
	case "recovered":
		func() {
			defer func() { recover() }()
			leave(func() { panic("out") })
		}()
		work(10)
	case "goexit":
		done := make(chan bool)
		go func() {
			defer close(done)
			leave(runtime.Goexit)
		}()
		<-done
		work(10)
	case "exit":
		work(10)
		os.Exit(3)
	case "fatal":
		work(10)
		log.Fatal("fatal")
	case "elsewhere": // os.Exit on another goroutine
		work(10)
		go os.Exit(4)
		select {}
	case "syscallexit":
		work(10)
		syscall.Exit(6)
	case "exec": // becomes another program
		work(10)
		if err := syscall.Exec(os.Args[0], []string{os.Args[0], "work", "1"}, os.Environ()); err != nil {
			log.Fatal(err)
		}
	case "memory": // takes more than there is
		work(10)
		for all := [][]byte{}; ; work(10) {
			all = append(all, make([]byte, 1<<20))
			all[len(all)-1][4096] = 1
		}
	case "log": // tells standard output what n goroutines are about to do and what they have done
		var wg sync.WaitGroup
		for g := range n {
			wg.Go(func() { ledger(g) })
		}
		wg.Wait()
	case "grow": // n goroutines have the file grow, with nothing that orders them
		var wg sync.WaitGroup
		for g := range n {
			ms := make([]markgen_perf.Marker, 2000)
			var text strings.Builder
			for i := range ms {
				fmt.Fprintf(&text, "m\t%016x\tfunc\t0\t1\t1\t%d\t-\t-\t1\tgrow%d.F%d\n", (g+1)*10000+i, i, g, i)
			}
			markgen_perf.Register(&ms[0], len(ms), nil, 0, text.String())
			wg.Go(func() {
				for i := range ms {
					markgen_perf.Enter(&ms[i]).Exit()
				}
			})
		}
		wg.Wait()
	case "packed": // registers a table as the standard input has it, and passes its n markers
		text, err := io.ReadAll(os.Stdin)
		if err != nil {
			log.Fatal(err)
		}
		ms, cs := make([]markgen_perf.Marker, n), make([]markgen_perf.Counter, 1)
		markgen_perf.Register(&ms[0], n, &cs[0], 1, string(text))
		for i := range ms {
			markgen_perf.Enter(&ms[i]).Exit()
			markgen_perf.Count(&cs[0])
		}
	case "register": // n markers, and says how many pages that touched for the first time
		var text strings.Builder
		for i := range n {
			fmt.Fprintf(&text, "m\t%016x\tfunc\t0\t1\t1\t%d\t-\t-\t1\texample.com/register/package.(*Type).Method%d:for#1\n", 1000+i, i, i)
		}
		ms := make([]markgen_perf.Marker, n)
		var before, after syscall.Rusage
		syscall.Getrusage(syscall.RUSAGE_SELF, &before)
		markgen_perf.Register(&ms[0], n, nil, 0, text.String())
		syscall.Getrusage(syscall.RUSAGE_SELF, &after)
		fmt.Println(after.Minflt - before.Minflt)
	case "stacks": // all goroutines there are, without addresses
		work(10)
		buf := make([]byte, 1<<20)
		buf = buf[:runtime.Stack(buf, true)]
		fmt.Println(runtime.NumGoroutine())
		for line := range strings.Lines(string(buf)) {
			if line[0] != '\t' {
				name, _, _ := strings.Cut(line, "(0x")
				fmt.Println(strings.TrimSpace(name))
			}
		}
	case "delete": // takes the file away and has it grow
		if err := os.Remove("data"); err != nil {
			log.Fatal(err)
		}
		fill(n)
	case "away": // goes elsewhere and has the file grow
		if err := os.Chdir("/"); err != nil {
			log.Fatal(err)
		}
		fill(n)
	case "deadlock":
		work(10)
		var mu sync.Mutex
		mu.Lock()
		mu.Lock()
	case "forever":
		for i := 0; ; i++ {
			work(10)
			if i == n {
				ready()
			}
		}
	case "stay":
		work(10)
		ready()
		time.Sleep(time.Minute)
	case "closefds":
		for fd := 50; fd < 64; fd++ { // below are those of the Go runtime
			syscall.Close(fd)
		}
		f, err := os.Create("victim")
		if err != nil {
			log.Fatal(err)
		}
		for fd := 50; fd < 64; fd++ { // the number the data file had is now the victim's
			syscall.Dup3(int(f.Fd()), fd, 0)
		}
		fill(n)
		st, _ := f.Stat()
		fmt.Println("victim", st.Size())
	case "children":
		work(10)
		for range n {
			args := []string{os.Args[0], "work", "1"}
			if emulator := os.Getenv("MARKGEN_TEST_EMULATOR"); emulator != "" {
				args = append([]string{emulator}, args...)
			}
			c := exec.Command(args[0], args[1:]...)
			c.Stderr = os.Stderr
			if err := c.Run(); err != nil {
				log.Fatal(err)
			}
		}
	case "chdir":
		if err := os.Chdir("/"); err != nil {
			log.Fatal(err)
		}
		work(10)
	case "signal":
		c := make(chan os.Signal, 1)
		signal.Notify(c, syscall.SIGTERM)
		work(10)
		ready()
		<-c
	case "race": // a race that the race detector has to see
		x := 0
		go func() {
			add(1, 1)
			x++
		}()
		time.Sleep(50 * time.Millisecond)
		add(1, 1)
		x++
	case "fds": // the program's descriptors have the numbers they always had
		f, err := os.Open("/dev/null")
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(f.Fd())
		out, err := exec.Command("ls", "-l", "/proc/self/fd").Output()
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(strings.Count(string(out), "data"))
	case "blocked": // n goroutines inside scopes at once
		var wg sync.WaitGroup
		open := make(chan bool)
		for range n {
			wg.Go(func() {
				leave(func() {
					<-open
					add(1, 1)
				})
			})
		}
		for runtime.NumGoroutine() < n {
			runtime.Gosched()
		}
		close(open)
		wg.Wait()
	case "limit": // the file may not grow beyond what it has
		lim := syscall.Rlimit{Cur: 300 << 10, Max: 300 << 10}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &lim); err != nil {
			log.Fatal(err)
		}
		fill(n)
	case "fill":
		fill(n)
	case "allocs":
		work(1)
		fmt.Println("allocs", testing.AllocsPerRun(100, func() {
			work(10)
			add(1, 2)
			markgen_perf.Point(&markgen_m[5])
			markgen_perf.Pass(&markgen_m[7])
		}))
	case "pause":
		work(10)
		var s markgen_perf.Scope
		s.Enter(&markgen_m[4])
		markgen_perf.Pause()
		s.Exit()
		work(10)
		markgen_perf.Resume()
		work(10)
	case "self":
		var s, t markgen_perf.Scope
		for range n {
			s.Enter(&markgen_m[4])
			t.Enter(&markgen_m[5])
			for start := time.Now(); time.Since(start) < 2*time.Millisecond; {
			}
			t.Exit()
			s.Exit()
		}
	case "reenter": // a scope that was never exited is closed by the next Enter
		var s markgen_perf.Scope
		for range n {
			s.Enter(&markgen_m[4])
		}
		s.Exit()
		s.Exit()
	case "bad": // nothing of this may panic
		var none *markgen_perf.Scope
		none.Enter(nil)
		none.Exit()
		none.Size(1)
		var s markgen_perf.Scope
		s.Enter(nil)
		s.Size(-1)
		s.Exit()
		markgen_perf.Close(nil)
		markgen_perf.Point(nil)
		markgen_perf.Pass(nil)
		markgen_perf.Enter(nil).Exit()
		markgen_perf.Count(&markgen_perf.Counter{})
		markgen_perf.Register(nil, 5, nil, 5, "")
		markgen_perf.Register(nil, -1, nil, -1, "m\nb\n\t\n")
		var few [2]markgen_perf.Marker
		markgen_perf.Register(&few[0], 2, nil, 0, "m\t1\nm\nm\tx\tfunc\t0\t0\t0\t77\t-\t-\t1\tfew")
		s.Enter(&few[1])
		s.Exit()
		markgen_perf.Resume()
		markgen_perf.Finish()
		markgen_perf.Finish()
		markgen_perf.Pause()
		work(10)
		fmt.Println("fine")
	default:
		log.Fatal("what is " + what)
	}
}

// ledger passes markers of its own for ever: it writes a capital letter, the
// g-th, before it passes the next one 1, 2, … times, and a small one after.
func ledger(g int) {
	const n = 1000
	ms := make([]markgen_perf.Marker, n)
	var text strings.Builder
	for i := range ms {
		fmt.Fprintf(&text, "m\t%016x\tfunc\t0\t1\t1\t%d\t-\t-\t1\tledger%d.F%d\n", (g+1)*n+i, i, g, i)
	}
	markgen_perf.Register(&ms[0], n, nil, 0, text.String())
	for i := 0; ; i++ {
		os.Stdout.Write([]byte{'A' + byte(g)})
		for range i%17 + 1 {
			markgen_perf.Enter(&ms[i%n]).Exit()
		}
		os.Stdout.Write([]byte{'a' + byte(g)})
	}
}

// fill registers and passes n more markers, so that the file has to grow.
func fill(n int) {
	ms := make([]markgen_perf.Marker, n)
	text := "p\tfill\n"
	for i := range ms {
		text += fmt.Sprintf("m\t%016x\tfunc\t0\t1\t1\t%d\t-\t-\t1\tfill.F%d\n", 1000+i, i, i)
	}
	markgen_perf.Register(&ms[0], n, nil, 0, text)
	for i := range ms {
		markgen_perf.Enter(&ms[i]).Exit()
	}
}

var _ = early
