package overlay

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/markgen/markgen/fileread"
)

// A TestProcess is a test binary with its arguments, as go test started it, that can be run again
// without go.
//
// So any number of runs use one build: none is linked again, and source edited meanwhile does not
// affect them.
type TestProcess struct {
	Package string   // import path of the package under test
	Exec    []string // the words of -exec
	Binary  string   // the test binary
	Args    []string // its arguments
	Dir     string   // directory in which it runs, the package's directory
	Environ []string

	copies *Copies
}

// keptProcess is the name of the file beside a kept test binary that describes its process.
const keptProcess = "process.json"

// KeepTests is Test, but keeps the test binaries below dir, which must exist, so that they can be
// run again. The processes are in go's order of the packages, without those that were not run,
// because they have no tests or do not build.
func (b *Build) KeepTests(ctx context.Context, c *Collection, dir string) ([]*TestProcess, int, error) {
	return b.testsBy(ctx, c, dir, testExec)
}

// BuildTests is KeepTests without running the tests: the results that go test prints are
// meaningless. The flags must include -count, since go does not start tests with cached results.
func (b *Build) BuildTests(ctx context.Context, dir string) ([]*TestProcess, int, error) {
	return b.testsBy(ctx, nil, dir, testKeep)
}

// testsBy makes go test run test binaries through this program, with word as its first argument.
func (b *Build) testsBy(ctx context.Context, c *Collection, dir, word string) ([]*TestProcess, int, error) {
	words, err := b.execWords()
	if err != nil {
		return nil, 1, err
	}
	exe, err := os.Executable()
	if err != nil {
		return nil, 1, err
	}
	through, err := joinQuoted(append([]string{exe, word, dir, strconv.Itoa(len(words))}, words...))
	if err != nil {
		return nil, 1, err
	}
	build := *b
	build.command = b.command.Without("exec")
	build.flags = append(slices.Clip(b.flags), "-exec="+through)
	code, err := build.Test(ctx, c)
	if err != nil {
		return nil, code, err
	}
	kept, err := keptTests(dir)
	if err != nil {
		return nil, 1, err
	}
	order := map[string]int{}
	for i, p := range b.named() {
		order[p.ImportPath] = i
	}
	slices.SortStableFunc(kept, func(p, q *TestProcess) int { return cmp.Compare(order[p.Package], order[q.Package]) })
	return kept, code, nil
}

// execWords returns the words of the command that runs test binaries: those of -exec, or go's
// default for other platforms, go_GOOS_GOARCH_exec.
func (b *Build) execWords() ([]string, error) {
	if _, ok := b.plain.Flag("exec"); ok {
		return b.execFlag()
	}
	system, arch := cmp.Or(getenv(b.environ, "GOOS"), runtime.GOOS), cmp.Or(b.env.GOARCH, runtime.GOARCH)
	if system == runtime.GOOS && arch == runtime.GOARCH {
		return nil, nil
	}
	if path, err := exec.LookPath("go_" + system + "_" + arch + "_exec"); err == nil {
		return []string{path}, nil
	}
	return nil, nil
}

// keptTests reads the processes that runTest has stored in dir.
func keptTests(dir string) ([]*TestProcess, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*", keptProcess))
	if err != nil {
		return nil, err
	}
	var kept []*TestProcess
	for _, file := range files {
		text, err := fileread.File(file)
		if err != nil {
			return nil, err
		}
		p := new(TestProcess)
		if err := json.Unmarshal(text, p); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		p.copies = CopiesOf(p.Binary)
		kept = append(kept, p)
	}
	return kept, nil
}

// testExec is the first argument with which go test, through -exec, calls this program to run a
// test binary (see runTest).
const testExec = "testexec"

// testKeep is the same, but only keeps the test binary.
const testKeep = "testkeep"

// runTest keeps a test binary, with all that is needed to run it again, and runs it. args are the
// directory to keep it in, the number of words of the user's own -exec, those words, the test
// binary, and its arguments. It returns the exit code; if the system allows, it replaces the
// process and does not return.
func runTest(args []string) int {
	if err := keepTest(args); err != nil {
		fmt.Fprintf(os.Stderr, "markgen: %v\n", err)
		return 2
	}
	code, err := become(args[2], args[3:])
	if err != nil {
		fmt.Fprintf(os.Stderr, "markgen: %v\n", err)
	}
	return code
}

func keepTest(args []string) error {
	n := -1
	if len(args) > 1 {
		n, _ = strconv.Atoi(args[1])
	}
	if n < 0 || len(args) < n+3 {
		return errors.New("testexec is for the go command to call")
	}
	words, binary, rest := args[2:2+n], args[2+n], args[3+n:]
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	p := &TestProcess{Exec: words, Args: rest, Dir: dir, Environ: os.Environ()}
	p.Package = testedPackage(binary)
	for i := 1; ; i++ {
		to := filepath.Join(args[0], strconv.Itoa(i), filepath.Base(binary))
		err := linkOrCopy(to, binary)
		if errors.Is(err, fs.ErrExist) {
			continue // another process was faster
		}
		if err != nil {
			return err
		}
		p.Binary = to
		text, err := json.Marshal(p)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(filepath.Dir(to), keptProcess), text, 0o600)
	}
}

// Run runs the process once more, in a new copy of its binary (see Copies), with the collection's
// environment. Standard output and standard error both go to output, as with go test. It returns
// the exit code, or 128+n if signal n ended the process.
//
// As go test does, it kills a process that is still running a minute after its time limit
// (-timeout).
func (p *TestProcess) Run(ctx context.Context, c *Collection, output io.Writer) (int, error) {
	binary, err := p.copies.Next()
	if err != nil {
		return exitNotExecutable, err
	}
	argv := append(append(slices.Clone(p.Exec), binary), p.Args...)
	limit := p.timeout()
	if limit > 0 {
		limit += time.Minute
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = p.Dir, c.Environ(p.Environ)
	cmd.Stdout, cmd.Stderr = output, output
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGQUIT) } // makes it print a stack trace
	cmd.WaitDelay = 5 * time.Second
	code, err := runChild(cmd)
	if err == nil && limit > 0 && ctx.Err() != nil && code != 0 {
		fmt.Fprintf(output, "*** Test killed: ran too long (%v).\n", limit)
	}
	return code, err
}

// timeout returns the time limit in the arguments, or 0.
func (p *TestProcess) timeout() time.Duration {
	for _, arg := range p.Args {
		if text, ok := strings.CutPrefix(arg, "-test.timeout="); ok {
			if d, err := time.ParseDuration(text); err == nil {
				return d
			}
		}
	}
	return 0
}

// testedPackage returns the import path of the package that a test binary tests, or "" if the
// binary does not record it. The go command reads it: linking debug/buildinfo, which knows five formats of
// executables, would add 430 KB to markgen.
func testedPackage(binary string) string {
	var info debug.BuildInfo
	text, err := exec.Command("go", "version", "-m", "-json", binary).Output()
	if err != nil || json.Unmarshal(text, &info) != nil {
		return ""
	}
	return strings.TrimSuffix(info.Path, ".test")
}
