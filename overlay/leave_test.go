//go:build linux

package overlay_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/markgen/markgen/profile/runfile"
	"github.com/markgen/markgen/tier"
)

// A run ends while goroutines close thousands of scopes that panics and runtime.Goexit left open:
// the program is not affected, and the data are intact. It takes many runs to hit the moment, and
// the race detector, which delays the end of the program while the goroutines continue.
func TestEndWhileLeaving(t *testing.T) {
	tier.Test(t)
	t.Parallel()
	markgen, dir := trapMarkgen(t), trapModule(t, "leave")
	exe, data := filepath.Join(dir, "leave"), filepath.Join(dir, "leave.markgen")
	trapMust(t, dir, nil, markgen, "build", "-all", "-race", "-o", exe, ".")
	for _, keys := range []string{"collect=time", "collect=time+trace"} {
		for i := range 40 {
			cmd := exec.Command(exe, fmt.Sprint(2000+40*i))
			cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=30", "MARKGEN=file="+data+","+keys)
			if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
				t.Fatalf("%s: %v\n%s", keys, err, out)
			}
			if p, err := runfile.Read(data); err != nil || len(p.Warnings) > 0 {
				t.Fatalf("%s: %v, %v", keys, p.Warnings, err)
			}
		}
	}
}
