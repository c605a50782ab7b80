package report_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/runfile"
	"github.com/markgen/markgen/report/reporttest"
	"github.com/markgen/markgen/tier"
)

// demoRun returns the profile of the demo application, marked and run with MARKGEN set to settings.
func demoRun(t *testing.T, program, settings string) *profile.Profile {
	t.Helper()
	file := filepath.Join(t.TempDir(), "demo.markgen")
	cmd := exec.Command(program, "-lines=24000")
	cmd.Env = append(os.Environ(), "MARKGEN="+settings+",report=none,file="+file)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	p, err := runfile.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// All formats have the same numbers for real runs, merged and sampled.
func TestFormatsAgreeOnRuns(t *testing.T) {
	tier.Test(t)
	dir := t.TempDir()
	markgen, program := filepath.Join(dir, "markgen"), filepath.Join(dir, "demo")
	for _, c := range []*exec.Cmd{
		exec.Command("go", "build", "-o", markgen, "../cmd/markgen"),
		{Path: markgen, Args: []string{markgen, "build", "-all", "-o", program, "."}, Dir: "../testdata/demo"},
	} {
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", c.Args, err, out)
		}
	}
	callers, sampled := demoRun(t, program, "callers"), demoRun(t, program, "sample=1:10")
	some, estimates := false, false
	for i := range callers.Markers {
		some = some || len(callers.Markers[i].Callers) > 0
	}
	for i := range sampled.Markers {
		estimates = estimates || sampled.Markers[i].CountSE() > 0
	}
	if !some || !estimates {
		t.Errorf("callers %v, estimates %v", some, estimates)
	}
	for name, p := range map[string]*profile.Profile{
		"callers": callers,
		"sampled": sampled,
		"added":   profile.Merge([]*profile.Profile{callers, sampled, callers}),
	} {
		t.Run(name, func(t *testing.T) {
			for _, f := range agreeing {
				checkNumbers(t, p, f.o, f.read(t, p, reporttest.Write(t, p, f.o)), f.holds, f.off, f.all)
			}
		})
	}
}
