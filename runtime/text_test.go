package runtime

import (
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// mostText is the maximum size of the functions that one marker in its source adds to a program, in bytes.
// The aim is 150,000.
const mostText = 184_000

const plainText = `package main

import (
	"fmt"
	"os"
)

func main() {
	work()
}

func work() {
	fmt.Println("x", len(os.Args))
}
`

const markedText = `package main

import (
	"fmt"
	"os"

	perf "github.com/markgen/markgen/runtime/perf"
)

func main() {
	defer perf.Finish()
	work()
}

func work() {
	if perf.On {
		defer perf.Enter(&marks.work).Exit()
	}
	fmt.Println("x", len(os.Args))
}

var marks struct {
	_                   [perf.MarkerPad]perf.Marker
	before, work, after perf.Marker
	_                   [perf.MarkerPad]perf.Marker
}

var _ = perf.RegisterTable(&marks.before, &marks.after,
	"e\np\tx\nm\t4a8e6c12907d996c\tfunc\tmain.go\t-\t-\t-\t-\t-\t1\tx.work\n")
`

// TestText measures what one marker adds to the functions of a program.
func TestText(t *testing.T) {
	if os.Getenv("MARKGEN_TESTS") != "corpus" {
		t.Skip("make corpus runs it")
	}
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("sizes are of linux/amd64")
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	plain := sizeOf(t, here, plainText)
	marked := sizeOf(t, here, markedText)
	t.Logf("%d bytes, of which a marker adds %d", marked, marked-plain)
	if marked-plain > mostText {
		t.Errorf("a marker adds %d bytes, want %d at most", marked-plain, mostText)
	}
}

// sizeOf builds a program and returns the size of its functions in bytes.
func sizeOf(t *testing.T, module, text string) (size uint64) {
	dir := t.TempDir()
	mod := fmt.Sprintf("module x\n\ngo 1.26\n\nrequire github.com/markgen/markgen/runtime v0.0.0\n\nreplace github.com/markgen/markgen/runtime => %s\n", module)
	for name, text := range map[string]string{"go.mod": mod, "main.go": text} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "build", "-o", "x", ".")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=-buildvcs=false")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	f, err := elf.Open(filepath.Join(dir, "x"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC {
			size += s.Size
		}
	}
	return size
}
