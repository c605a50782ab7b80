package cpuprofile

import (
	"math/bits"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

//go:noinline
func busy(until time.Time) (n uint64) {
	for time.Now().Before(until) {
		for i := range uint64(1000) {
			n += bits.RotateLeft64(n^i, 3)
		}
	}
	return n
}

// A function that is busy is in the samples, with its callers and its place, and no goroutine reads them.
func TestProfile(t *testing.T) {
	if !Supported {
		t.Skip("profiles are not taken on this system")
	}
	goroutines := runtime.NumGoroutine()
	p := Profile{Watch: "/profile_test.go"}
	p.Start()
	n := busy(time.Now().Add(150 * time.Millisecond))
	p.Save()
	n += busy(time.Now().Add(150 * time.Millisecond))
	if g := runtime.NumGoroutine(); g != goroutines {
		t.Errorf("%d goroutines, want %d", g, goroutines)
	}
	p.Stop()
	samples, within := uint64(0), uint64(0)
	var frames []string
	for _, line := range strings.SplitAfter(string(p.AppendText(nil)), "\n") {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		switch fields[0] {
		case "f":
			frames = append(frames, fields[1]+" "+fields[3][strings.LastIndexByte(fields[3], '/')+1:])
		case "s":
			k, err := strconv.ParseUint(fields[1], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			samples += k
			stack := ""
			for _, f := range fields[2:] {
				i, err := strconv.Atoi(f)
				if err != nil || i >= len(frames) {
					t.Fatalf("%q: %v", line, err)
				}
				stack += frames[i] + "\n"
			}
			if i := strings.Index(stack, ".busy profile_test.go\n"); i >= 0 && strings.Contains(stack[i:], ".TestProfile profile_test.go\n") {
				within += k
			}
		}
	}
	t.Log(n&1, samples, within)
	if samples == 0 {
		t.Skip("the kernel took no samples")
	}
	if within == 0 {
		t.Errorf("%d samples, none in the function that was busy", samples)
	}
	if p.Samples != samples || p.Watched > samples || p.Watched == 0 && samples > 3 {
		t.Errorf("counted %d samples, of them %d in this file, of %d", p.Samples, p.Watched, samples)
	}
}

// Records that say that samples were lost, and such as end too early, are left out.
func TestAdd(t *testing.T) {
	pc, _, _, _ := runtime.Caller(0)
	word := uint64(pc)
	var p Profile
	p.add([]uint64{3, 0, 250, 5, 1, 2, word, word, 4, 1, 0, 7, 4, 1, 1, word, 5, 1, 1, word, word, 9, 1, 1})
	if len(p.ordered) != 2 || p.ordered[0].n != 3 || p.ordered[1].n != 1 {
		t.Errorf("%+v, want a stack with 3 samples, and one with 1", p.ordered)
	}
}

// A profile takes a limited amount of memory however many different stacks there are, and goes on to
// count those that it has.
func TestLimit(t *testing.T) {
	pc, _, _, _ := runtime.Caller(0)
	for _, frames := range []int{2, 64} {
		p := Profile{limit: 1 << 16}
		before := heap()
		sample := make([]uint64, head+frames)
		sample[0], sample[2] = uint64(len(sample)), 1
		for range 2 {
			for i := range uint64(20_000) {
				sample[head] = uint64(pc) + i
				p.add(sample)
			}
		}
		words := (heap() - before) / 8
		stacks := len(p.ordered)
		t.Logf("%d frames: %d stacks, %d words", frames, stacks, words)
		if stacks == 0 || stacks > p.limit/frames || words > 1<<16*5/4 {
			t.Errorf("%d stacks of %d frames take %d words, limit %d", stacks, frames, words, p.limit)
		}
		if first := p.ordered[0].n; first != 2 {
			t.Errorf("%d samples of the first stack, want 2", first)
		}
	}
}

// heap returns how many bytes of the heap are in use.
func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
