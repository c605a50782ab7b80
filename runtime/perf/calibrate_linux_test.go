//go:build markgen_virtual && !markgen_off && (amd64 || arm64)

package perf

import (
	"os"
	"os/exec"
	"testing"
)

// With a trace, the cost of records is measured again, too: if nothing is timed, before a record
// that reaches the untouched part of its ring. Each case collects in its own process.
func TestMeasureAgainTraced(t *testing.T) {
	const key = "MARKGEN_TEST_COLLECT"
	if os.Getenv(key) == "" {
		unemulated(t)
		for _, collect := range []string{"trace", "time+trace"} {
			cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
			cmd.Env = append(os.Environ(), key+"=collect="+collect+",file="+t.TempDir()+"/data")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", collect, err, out)
			}
		}
		return
	}
	m := collectedAs(t, os.Getenv(key))
	opened(&m[0], func() {}) // makes the run ready
	p, before := own(), rounds
	measureAt = now() - 1
	for n := 0; n < 1_000_000 && rounds == before; n++ {
		opened(&m[0], func() { opened(&m[1], func() {}) })
	}
	if rounds == before {
		t.Error("no round in a million scopes")
	}
	if p != own() || p.stack != p.stack.scopes() || p.stack.n != 0 {
		t.Errorf("%d scopes are open", p.stack.n)
	}
	exit := tracing.exit[kindOpened]
	if exit == 0 || exit != subtract(hot.cost[kindOpened], hot.inside) {
		t.Errorf("the end of a scope costs %d, want %d less %d", exit, hot.cost[kindOpened], hot.inside)
	}
}
