package random_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/go-cmp/cmp"
)

// ways are the ways in which a program dies.
var ways = []string{"panic", "nil", "exit", "goexit", "deadlock", "unlock", "stack", "KILL", "TERM", "QUIT"}

// A death is how a program died.
type death struct {
	DIE    string
	state  string // exit code or signal
	stdout string
	stderr []string // the relevant parts of stack traces
	places map[place]uint64
}

// die runs the program, which dies as it is told.
func (p *program) die(exe, die, variable string) death {
	places := filepath.Join(p.dir, "places")
	defer os.Remove(places)
	cmd := exec.CommandContext(p.t.Context(), "./"+exe)
	cmd.Dir = p.dir
	cmd.Env = append(outside(), "PLACES=1", "PLACEFILE="+places, "DIE="+die, "GOTRACEBACK=all", "MARKGEN="+withData(variable))
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if exit := (*exec.ExitError)(nil); !errors.As(cmd.Run(), &exit) && !strings.HasPrefix(die, "goexit") { // goexit ends a goroutine, which may be another one
		p.t.Errorf("%s with DIE=%s did not die", exe, die)
	}
	data, err := os.ReadFile(places)
	if err != nil {
		p.t.Fatal(err)
	}
	return death{die, cmd.ProcessState.String(), stdout.String(), traces(stderr.String(), strings.HasPrefix(die, "QUIT")), placesIn(data)}
}

// placesIn returns the counts in a program's PLACEFILE.
func placesIn(data []byte) map[place]uint64 {
	places := map[place]uint64{}
	words := len(data) / 8 / 3
	for i := range 3 * words {
		if n := binary.NativeEndian.Uint64(data[8*i:]); n > 0 {
			places[place{[]string{"func", "loop", "branch"}[i/words], i % words}] = n
		}
	}
	return places
}

var (
	hexadecimal = regexp.MustCompile(`0x[0-9a-f]+`)
	number      = regexp.MustCompile(`goroutine \d+|m=\d+`)
	toldLiteral = regexp.MustCompile(`^random/told\..*\.(func)?\d`) // told.F.func1, told.F.1 and main.G.F.func1 are the same function, depending on inlining into main.G
	elided      = regexp.MustCompile(`\d+ frames elided`)
	asleep      = regexp.MustCompile(`(?s) gp=[^\n]*\n(.*\n)?random/told.die\n`) // or about to sleep, since the signal may come at once
)

// traces returns the parts of a dying program's output that are about its functions and the reason,
// sorted, since goroutines are printed in any order. It omits messages of markgen, goroutine IDs,
// addresses, arguments, names of the program's functions (those of literals depend on inlining),
// and for QUIT the function in which the program waited for the signal.
func traces(stderr string, quit bool) (traces []string) {
	for part := range strings.SplitSeq(stderr, "\n\n") {
		if !strings.Contains(part, "main.go:") && !strings.Contains(part, "panic:") && !strings.Contains(part, "fatal error:") {
			continue
		}
		var lines []string
		for line := range strings.Lines(part) {
			line = strings.TrimRight(line, "\n")
			switch {
			case strings.HasPrefix(line, "\t"):
				line, _, _ = strings.Cut(filepath.Base(line), " +0x")
			case toldLiteral.MatchString(line), strings.HasPrefix(line, "main."), strings.HasPrefix(line, "created by main."), strings.HasPrefix(line, "markgen: "):
				continue
			case strings.HasSuffix(line, ")") && !strings.HasPrefix(line, "panic: "):
				line = line[:strings.LastIndexByte(line, '(')]
			}
			line = hexadecimal.ReplaceAllString(line, "0x")
			line = number.ReplaceAllString(line, "")
			lines = append(lines, elided.ReplaceAllString(line, "frames elided"))
		}
		part = strings.Join(lines, "\n")
		if quit {
			part = asleep.ReplaceAllString(part, "")
		}
		traces = append(traces, part)
	}
	slices.Sort(traces)
	return traces
}

// deaths makes the plain program die in each way, in a random step.
func (p *program) deaths(seed, steps uint64) (deaths []death) {
	r := rand.New(rand.NewPCG(seed, 2))
	for _, way := range ways {
		deaths = append(deaths, p.die("plain", way+":"+strconv.FormatUint(1+r.Uint64N(steps), 10), ""))
	}
	return deaths
}

// compareDeaths makes the marked program die in the same ways: it must do the same, and leave
// readable data. If exact, their counts, including open scopes, must equal those of the program.
// moved maps lines of returns that go itself reports differently, see movedReturns.
func (p *program) compareDeaths(name, variable string, exact bool, deaths []death, moved map[int]int) {
	for _, plain := range deaths {
		if way, _, _ := strings.Cut(plain.DIE, ":"); !exact && (way == "deadlock" || way == "goexit") {
			continue // with a timer set, go detects no deadlock
		}
		marked := p.die("marked", plain.DIE, variable)
		plain.stderr, marked.stderr = move(plain.stderr, moved), move(marked.stderr, moved)
		if d := cmp.Diff(plain, marked, cmp.AllowUnexported(death{}, place{})); d != "" {
			p.t.Errorf("%s, DIE=%s: the program dies differently (-plain +marked):\n%.3000s", name, plain.DIE, d)
		}
		if variable == "" {
			continue
		}
		// With noself, open scopes are unknown.
		if got := p.report(true); exact && !strings.Contains(variable, "noself") && !maps.Equal(got, plain.places) {
			p.t.Errorf("%s, DIE=%s: scopes differ (-program +markgen):\n%.3000s", name, plain.DIE, cmp.Diff(plain.places, got, cmp.AllowUnexported(place{})))
		}
	}
}

// steps returns the number of steps that a program reports.
func steps(stdout []byte) (n uint64) {
	if i := bytes.LastIndex(stdout, []byte("steps ")); i >= 0 {
		fmt.Sscan(string(stdout[i+len("steps "):]), &n)
	}
	return n
}
