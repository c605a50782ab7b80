//go:build markgen_virtual && go1.26 && !markgen_off

package perf

import (
	"compress/flate"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unsafe"
)

// A packed table is written to the file packed; only=, skip= and the report unpack it.
func TestPackedTable(t *testing.T) {
	var text strings.Builder
	text.WriteString("p\tpacked\nf\tpacked.go\n")
	for i := range 300 {
		fmt.Fprintf(&text, "m\t%016x\tfunc\t0\t1\t1\t%d\t-\t-\t1\tpacked.F%d\n", 1000+i, i, i)
	}
	text.WriteString("c\t00000000000000ff\tblock\t0\t1\t1\tpacked.counted\n")
	stored := packed(t, text.String(), flate.DefaultCompression)
	for config, want := range map[string][2]int{ // executed markers, and the counter
		"":                               {300, 300},
		"only=packed.F1?":                {10, 0},
		"skip=*.F*":                      {0, 300},
		"only=packed.*,skip=packed.F??*": {10, 300},
	} {
		cmd := virtualForm.command(t, "file=data,report=report,"+config, "packed", "300")
		cmd.Stdin = strings.NewReader(stored)
		r := finish(t, cmd)
		b, _ := os.ReadFile(filepath.Join(r.dir, "report"))
		passed, counted := 0, 0
		for line := range strings.Lines(string(b)) {
			f := strings.Fields(line)
			if strings.HasPrefix(line, "packed.F") && f[1] == "1" {
				passed++
			} else if f[0] == "packed.counted" {
				counted, _ = strconv.Atoi(f[1])
			}
		}
		if r.code != 0 || r.stderr != "" || passed != want[0] || counted != want[1] {
			t.Errorf("%s: exit code %d, stderr %q, %d markers, counter %d, want %d", config, r.code, r.stderr, passed, counted, want)
		}
		if data, err := os.ReadFile(filepath.Join(r.dir, "data")); err != nil || strings.Count(string(data), stored) != 1 {
			t.Errorf("%s: the file does not have the text once, %v", config, err)
		}
	}
}

// Registering touches the markers, and neither reads their text nor copies it to mapped memory,
// which would be a page fault for every 4 kB of 9 MB. Its duration cannot be tested on a busy
// machine.
func TestRegisterIsCheap(t *testing.T) {
	const n = 100_000
	r := virtualForm.run(t, "file=data", "register", strconv.Itoa(n))
	faults, err := strconv.Atoi(strings.TrimSpace(r.stdout))
	if most := n*int(unsafe.Sizeof(Marker{}))/os.Getpagesize() + 100; err != nil || faults > most {
		t.Errorf("%d page faults, want at most %d; %v %s", faults, most, err, r.stderr)
	}
	if d := r.data("data"); len(d.marks) < n {
		t.Errorf("%d markers in the file", len(d.marks))
	}
}
