package overlay_test

import (
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"testing"

	"github.com/markgen/markgen/tier"
)

// Windows open while the program has a processor: where others have it most of the time, counts are of the part that the program had.
func TestWindowsOfCrowd(t *testing.T) {
	tier.Corpus(t)
	taskset, err := exec.LookPath("taskset")
	if err != nil {
		t.Skip(err)
	}
	const programs, calls = 3, 60_000
	program, dir := steered(t), t.TempDir()
	errand := &trial{runs: 9, least: 0.65, most: 1.45, errors: 3, far: 3}
	for round := 0; !decided(errand); round++ {
		var crowd []*exec.Cmd
		for k := range programs {
			cmd := exec.Command(taskset, "-c", "0", program, "errands", strconv.Itoa(calls))
			cmd.Dir, cmd.Stderr = dir, os.Stderr
			cmd.Env = append(os.Environ(), "MARKGEN=sample=1:20,only=*.errand,seed="+strconv.Itoa(201+programs*round+k)+",file="+strconv.Itoa(k))
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			crowd = append(crowd, cmd)
		}
		for k, cmd := range crowd {
			if err := cmd.Wait(); err != nil {
				t.Fatal(err)
			}
			errand.add(marker(t, steerRun{dir: dir}.read(t, strconv.Itoa(k)), "errand"), 2*calls)
		}
	}
	errand.check(t, "errands")
}

// Where other programs have all processors in turn, who opens a window has one in the program's place, which goes on some 50 µs later.
// Windows begin after that, and are not over before.
func TestWindowsOfTurns(t *testing.T) {
	tier.Corpus(t)
	const calls = 120_000
	for range runtime.NumCPU() {
		other := exec.Command(steered(t), "errands", strconv.Itoa(1<<30))
		other.Env = append(os.Environ(), "MARKGEN=")
		if err := other.Start(); err != nil {
			t.Fatal(err)
		}
		defer other.Wait()
		defer other.Process.Kill()
	}
	errand := &trial{runs: 5, least: 0.7, most: 1.4}
	for seed := 61; !decided(errand); seed++ {
		errand.add(marker(t, runSteered(t, "sample=1:100,only=*.errand,seed="+strconv.Itoa(seed), "errand", strconv.Itoa(calls)).Profile, "errand"), calls)
	}
	errand.check(t, "errands")
}
