package overlay

import (
	"runtime"
	"strconv"
	"strings"
	"testing"
)

func TestStartingHeap(t *testing.T) {
	const gb = 1 << 30
	for _, tt := range []struct {
		memory    uint64
		compilers int
		want      int
	}{
		{0, 2, 0},
		{1 * gb, 2, 0},
		{2 * gb, 2, 256},
		{3 * gb, 2, 384},
		{16 * gb, 16, 256},
		{16 * gb, 64, 0},
		{64 * gb, 2, 512},
		{^uint64(0), 1, 512},
	} {
		if got := startingHeap(tt.memory, tt.compilers); got != tt.want {
			t.Errorf("%d MB, %d compilers: %d MB, want %d", tt.memory>>20, tt.compilers, got, tt.want)
		}
	}
}

// The installed compiler has the flag, unless it is older than the flag.
func TestHeapFlag(t *testing.T) {
	if startingHeap(machineMemory(), runtime.GOMAXPROCS(0)) == 0 {
		t.Skip("no memory to spare, or nobody knows")
	}
	env, err := readGoEnv(t.Context(), ".", nil)
	if err != nil {
		t.Fatal(err)
	}
	out, err := goOutput(t.Context(), ".", nil, "env", "GOVERSION")
	if err != nil {
		t.Fatal(err)
	}
	b := &Build{env: env}
	flag := b.heapFlag()
	minor, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(string(out)), "go1."), ".")
	n, err := strconv.Atoi(minor)
	if err != nil {
		t.Skipf("a toolchain of another kind, %s", out)
	}
	if known := flag != ""; known != (n >= 26) {
		t.Errorf("Go 1.%d: %q", n, flag)
	}
	if flag != "" && !strings.HasPrefix(flag, "-d=gcstart=") {
		t.Errorf("%q", flag)
	}
	b.env.GOTOOLDIR = t.TempDir()
	if flag := b.heapFlag(); flag != "" {
		t.Errorf("%q without a compiler", flag)
	}
}
