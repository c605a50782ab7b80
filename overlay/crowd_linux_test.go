package overlay_test

import (
	"math"
	"os"
	"os/exec"
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
