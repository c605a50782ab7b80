package overlay_test

import (
	"math"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"testing"
)

// Windows open while the program has a processor: where others have it most of the time, counts are of the part that the program had.
func TestWindowsOfCrowd(t *testing.T) {
	taskset, err := exec.LookPath("taskset")
	if err != nil {
		t.Skip(err)
	}
	const programs, calls = 3, 60_000
	program, dir := steered(t), t.TempDir()
	var ratios []float64
	far := 0
	for round := range 3 {
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
			m := marker(t, steerRun{dir: dir}.read(t, strconv.Itoa(k)), "errand")
			t.Logf("%d ± %.0f of %d", m.Count, m.CountSE(), 2*calls)
			ratios = append(ratios, float64(m.Count)/(2*calls))
			if math.Abs(float64(m.Count)-2*calls) > 3*m.CountSE() {
				far++
			}
		}
	}
	if slices.Sort(ratios); ratios[len(ratios)/2] < 0.65 || ratios[len(ratios)/2] > 1.45 || far > len(ratios)/3 {
		t.Errorf("counts are %.3g of what they should be, %d of them farther off than they say", ratios, far)
	}
}

// Where other programs have all processors in turn, who opens a window has one in the program's place, which goes on some 50 µs later.
// Windows begin after that, and are not over before.
func TestWindowsOfTurns(t *testing.T) {
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
	var ratios, errors []float64
	for seed := 61; seed < 66; seed++ {
		p := runSteered(t, "sample=1:100,only=*.errand,seed="+strconv.Itoa(seed), "errand", strconv.Itoa(calls)).Profile
		m := marker(t, p, "errand")
		ratios = append(ratios, float64(m.Count)/calls)
		errors = append(errors, m.CountSE()/calls)
	}
	t.Logf("counts are %.3g of what they should be, ± %.3g", ratios, errors)
	if slices.Sort(ratios); ratios[len(ratios)/2] < 0.7 || ratios[len(ratios)/2] > 1.4 {
		t.Errorf("counts are %.3g of what they should be", ratios)
	}
}
