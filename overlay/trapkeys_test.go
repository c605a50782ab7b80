package overlay_test

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/markgen/markgen/profile/runfile"
	"github.com/markgen/markgen/tier"
)

// trapKeys are settings with which traps are run besides collect=time. With a timer set, Go's
// poller allocates its descriptors earlier, and Go detects no deadlock until the timer has fired.
var trapKeys = []struct {
	keys  string
	after bool // sets a timer
}{
	{"collect=time+alloc+wait+io,callers,pairs", false},
	{"collect=trace", false},
	{"collect=time+trace,buffer=4K,callers", false},
	{"collect=wild,busy=100", false},
	{"clock=mono,collect=alloc", false},
	{"noself", false},
	{"outermost", false},
	{"outermost=shut", false},
	{"adapt=alloc", false},
	{"throttle=1:1000000", false},
	{"only=*for*,callers", false},
	{"skip=*for*,pairs", false},
	{"start=on:*for*,collect=time+trace", false},
	{"sample=1:2,countdown", false},
	{"sample=1:2,countdown,enough=1,noself", false},
	{"sample=1:2", true},
	{"every=1ms:500us", true},
	{"start=after:1ms", true},
	{"pause=on:*,resume=after:1ms", true},
	{"pause=after:1ms,resume=after:2ms,stop=after:3ms", true},
}

// trapWithKeys runs a marked program with each of trapKeys, or outside make corpus with one of
// them, and compares it with the result of the plain program. env is the environment of the build.
func trapWithKeys(t *testing.T, what, dir, marked string, env, args []string, want trapResult) {
	t.Helper()
	list := trapKeys[:0:0]
	for _, k := range trapKeys {
		again := k.after && !strings.HasPrefix(k.keys, "start=after")
		if again && strings.Contains(want.stderr, "deadlock!") || k.after && filepath.Base(dir) == "resources" {
			continue
		}
		list = append(list, k)
	}
	if !tier.InCorpus() {
		hash := fnv.New32()
		fmt.Fprint(hash, filepath.Base(dir), what)
		list = list[hash.Sum32()%uint32(len(list)):][:1]
	}
	for _, k := range list {
		out := t.TempDir()
		data := filepath.Join(out, "data")
		r := trapRun(t, filepath.Dir(filepath.Dir(marked)), []string{"MARKGEN=" + k.keys + ",file=" + data}, marked, args...)
		refused := slices.Contains(env, "GOARCH=386") && strings.Contains(k.keys, "trace") // goroutines cannot be identified there
		if told := strings.Contains(r.stderr, `key "collect": cannot be trace on this platform`); told != refused {
			t.Errorf("%s %s: traces are refused: %t, want %t\n%s", what, k.keys, told, refused, r.stderr)
		}
		r.stderr = trapOwnLine.ReplaceAllString(r.stderr, "") // the requested data may not be there
		trapCompare(t, what+" "+k.keys, r, want)
		p, err := runfile.Read(data)
		switch {
		case refused && !errors.Is(err, fs.ErrNotExist):
			t.Errorf("%s %s: refused, and there are data: %v", what, k.keys, err)
		case refused:
		case err == nil && p.Damaged:
			t.Errorf("%s %s: %q", what, k.keys, p.Warnings)
		case err != nil && !strings.Contains(k.keys, "wild"): // the program may have declined to collect
			t.Errorf("%s %s: %v", what, k.keys, err)
		}
	}
}
