package corpus

import (
	"fmt"
	"go/scanner"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/markgen/markgen/rewrite/inplace"
	"github.com/markgen/markgen/tier"
)

// TestBlocksInPlace marks modules in place, runs their tests, and compares the count of every block
// that markgen report -format cover computes with that of go test -covermode=count.
func TestBlocksInPlace(t *testing.T) {
	tier.Test(t)
	exceptions, err := readExceptions("exceptions.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.module == "" {
			continue
		}
		t.Run(e.name, func(t *testing.T) {
			if e.name != "text" {
				tier.Corpus(t)
			}
			e.choose(t)
			exe, err := markgen()
			if err != nil {
				t.Fatal(err)
			}
			plain := &workplace{entry: e, exe: exe, dir: prepare(t, e), out: t.TempDir()}
			marked := &workplace{entry: e, exe: exe, dir: prepare(t, e), out: t.TempDir()}
			marked.mark(t)
			r := e.compareBlocks(t, exceptions, func(n int) map[string]uint64 {
				file := filepath.Join(plain.out, fmt.Sprintf("plain%d.cover", n))
				plain.goTest(t, "plain", []string{"-covermode=atomic", "-coverpkg=" + strings.Join(e.packages, ","), "-coverprofile=" + file})
				return startsOf(t, file, plain.dir, plain.dir)
			}, func(n int) map[string]uint64 {
				data := marked.data(t, n)
				test := marked.command(t.Context(), "go", slices.Concat([]string{"test"}, marked.testFlags(nil))...)
				test.Env = append(test.Env, "MARKGEN=file="+filepath.Join(data, "%p.markgen"))
				_ = test.Run() // tests may fail, as they may when plain
				return marked.blocks(t, data, plain.dir)
			})
			t.Logf("%d blocks, %d unsteady, %d excepted, %d different", r.blocks, r.unsteady, r.excepted, r.different)
		})
	}
}

// TestTrapBlocksInPlace is TestBlocksInPlace for the programs in testdata/traps that need no module
// of their own.
func TestTrapBlocksInPlace(t *testing.T) {
	tier.Corpus(t)
	exceptions, err := readExceptions("exceptions.txt")
	if err != nil {
		t.Fatal(err)
	}
	exe, err := markgen()
	if err != nil {
		t.Fatal(err)
	}
	e := entry{name: "traps", module: "example.com/traps", packages: []string{"./..."}}
	plain := &workplace{entry: e, exe: exe, dir: t.TempDir(), out: t.TempDir()}
	marked := &workplace{entry: e, exe: exe, dir: t.TempDir(), out: t.TempDir()}
	names := copyTraps(t, plain.dir)
	copyTraps(t, marked.dir)
	marked.mark(t)
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			for w, flags := range map[*workplace][]string{plain: {"-cover", "-covermode=atomic", "-coverpkg=./..."}, marked: nil} {
				args := slices.Concat([]string{"build", "-o", w.out + "/"}, flags, []string{"./traps/" + name})
				if out, err := w.command(t.Context(), "go", args...).CombinedOutput(); err != nil && w == plain {
					t.Skipf("go build -cover makes code that does not compile: %v\n%.500s", err, out)
				} else if err != nil {
					t.Fatalf("go %q: %v\n%s", args, err, out)
				}
			}
			r := e.compareBlocks(t, exceptions, func(n int) map[string]uint64 {
				data := filepath.Join(plain.out, fmt.Sprint(name, ".data", n))
				if err := os.Mkdir(data, 0o777); err != nil {
					t.Fatal(err)
				}
				program := plain.command(t.Context(), filepath.Join(plain.out, name), "return")
				program.Env = append(program.Env, "GOCOVERDIR="+data)
				_ = program.Run()
				if counted, _ := filepath.Glob(filepath.Join(data, "covcounters.*")); counted == nil {
					t.Skip("go's counters are lost where the program ends by a crash")
				}
				file := data + ".cover"
				if out, err := plain.command(t.Context(), "go", "tool", "covdata", "textfmt", "-i="+data, "-o="+file).CombinedOutput(); err != nil {
					t.Fatalf("covdata: %v\n%s", err, out)
				}
				return startsOf(t, file, plain.dir, plain.dir)
			}, func(n int) map[string]uint64 {
				data := filepath.Join(marked.out, fmt.Sprint(name, n, ".markgen"))
				program := marked.command(t.Context(), filepath.Join(marked.out, name), "return")
				program.Env = append(program.Env, "MARKGEN=file="+data)
				_ = program.Run()
				return marked.blocks(t, data, plain.dir)
			})
			t.Logf("%d blocks, %d unsteady, %d excepted, %d different", r.blocks, r.unsteady, r.excepted, r.different)
		})
	}
}

// copyTraps copies the traps to a module and returns their names.
func copyTraps(t *testing.T, dir string) (names []string) {
	t.Helper()
	const traps = "../testdata/traps"
	folders, err := os.ReadDir(traps)
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range folders {
		from, to := filepath.Join(traps, folder.Name()), filepath.Join(dir, "traps", folder.Name())
		if found, _ := filepath.Glob(filepath.Join(from, "go.[mw]o[dr]*")); found != nil {
			continue
		}
		if found, _ := filepath.Glob(filepath.Join(from, "main.go*")); found == nil || folder.Name() == "line_directives" { // whose blocks are of other files
			continue
		}
		if err := os.CopyFS(to, os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
		texts, _ := filepath.Glob(filepath.Join(to, "*.go.txt"))
		for _, name := range texts {
			if err := os.Rename(name, strings.TrimSuffix(name, ".txt")); err != nil {
				t.Fatal(err)
			}
		}
		names = append(names, folder.Name())
	}
	text, err := os.ReadFile("../testdata/go.mod")
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "go.mod"), text, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// mark marks the module in place.
func (w *workplace) mark(t *testing.T) {
	t.Helper()
	for _, args := range [][]string{{"init", "-vendor"}, slices.Concat([]string{"-all"}, w.entry.packages)} {
		if out, err := w.command(t.Context(), w.exe, args...).CombinedOutput(); err != nil {
			t.Fatalf("markgen %q: %v\n%s", args, err, out)
		}
	}
}

// compareBlocks runs something plain and marked and compares the blocks, up to rounds times if one
// differs whose count may vary.
func (e entry) compareBlocks(t *testing.T, exceptions []*exception, plain, marked func(round int) map[string]uint64) (r row) {
	t.Helper()
	var want, got []map[string]uint64
	for len(want) < 2 || len(want) < rounds && slices.ContainsFunc(sortedKeys(want[0], got[0]), func(block string) bool {
		return steady(want, block) && steady(got, block) && !equal(want, got, block) && !excepted(exceptions, e.name, "inplace", block)
	}) {
		n := len(want)
		want, got = append(want, plain(n)), append(got, marked(n))
		maps.DeleteFunc(want[n], func(block string, count uint64) bool { // a program that is not run
			file, _, _ := strings.Cut(block, ":")
			return count == 0 && !slices.ContainsFunc(sortedKeys(got[n], nil), func(b string) bool { return strings.HasPrefix(b, file+":") })
		})
	}
	for _, block := range sortedKeys(want[0], got[0]) {
		r.blocks++
		if equal(want, got, block) {
			continue
		}
		if excepted(exceptions, e.name, "inplace", block) {
			r.excepted++
			continue
		}
		if !steady(want, block) || !steady(got, block) {
			r.unsteady++
			continue
		}
		r.different++
		a, ok := want[0][block]
		m, has := got[0][block]
		t.Errorf("%s: %s plain, %s marked", block, count(a, ok), count(m, has))
	}
	return r
}

// data makes a folder for the data of a round.
func (w *workplace) data(t *testing.T, n int) string {
	t.Helper()
	data := filepath.Join(w.out, fmt.Sprintf("data%d", n))
	if err := os.Mkdir(data, 0o777); err != nil {
		t.Fatal(err)
	}
	return data
}

// blocks returns the blocks in the data of a marked program, at the places that they have in the
// plain source.
func (w *workplace) blocks(t *testing.T, data, plain string) map[string]uint64 {
	t.Helper()
	file := data + ".cover"
	if out, err := w.command(t.Context(), w.exe, "report", "-format", "cover", "-o", file, data).CombinedOutput(); err != nil {
		t.Fatalf("report: %v\n%s", err, out)
	}
	return startsOf(t, file, w.dir, plain)
}

func modulePath(t *testing.T, dir string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(line, "module "); ok {
			return strings.Trim(strings.TrimSpace(name), `"`)
		}
	}
	t.Fatalf("%s: no module", dir)
	return ""
}

// startsOf reads the cover profile of a module: "file:line.col statements" and its count, with the
// start of the block in the plain source. marked is the folder of the module, and plain where it is
// without markers.
func startsOf(t *testing.T, file, marked, plain string) map[string]uint64 {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	module, tokens := modulePath(t, plain), map[string][2]places{}
	blocks := map[string]uint64{}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "mode: ") {
			continue
		}
		var fromLine, fromCol, toLine, toCol, statements int
		var count uint64
		name, rest, _ := strings.Cut(line, ".go:")
		if _, err := fmt.Sscanf(rest, "%d.%d,%d.%d %d %d", &fromLine, &fromCol, &toLine, &toCol, &statements, &count); err != nil {
			t.Fatalf("%s: %q: %v", file, line, err)
		}
		if strings.Contains(name, "/internal/markgen/") {
			continue
		}
		name += ".go"
		both, ok := tokens[name]
		if !ok {
			below := strings.TrimPrefix(name, module+"/")
			both = [2]places{tokensOf(t, filepath.Join(marked, below)), tokensOf(t, filepath.Join(plain, below))}
			if a, b := len(both[0]), len(both[1]); a != b {
				t.Fatalf("%s: %d places, %d of them without the markers", name, b, a)
			}
			tokens[name] = both
		}
		at := both[1][both[0].at(fromLine, fromCol)]
		blocks[fmt.Sprintf("%s:%d.%d %d", name, at[0], at[1], statements)] += count
	}
	return blocks
}

// places are the starts and ends of the tokens of a file, in order, by line and column.
type places [][2]int

// at returns the index of the first place at or behind a line and column.
func (p places) at(line, col int) int {
	i, _ := slices.BinarySearchFunc(p, [2]int{line, col}, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	return min(i, len(p)-1)
}

// tokensOf returns the line and column of the start and the end of each token in the file, without
// markers, semicolons and parentheses.
func tokensOf(t *testing.T, file string) (list places) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text = inplace.Blank(text)
	fset := token.NewFileSet()
	f := fset.AddFile(file, -1, len(text))
	var s scanner.Scanner
	s.Init(f, text, nil, 0)
	for {
		pos, tok, literal := s.Scan()
		if tok == token.EOF {
			return list
		}
		if tok == token.SEMICOLON || tok == token.LPAREN || tok == token.RPAREN {
			continue // marking breaks lines, and may group imports
		}
		n := len(literal)
		if !tok.IsLiteral() && !tok.IsKeyword() {
			n = len(tok.String())
		}
		from, to := f.PositionFor(pos, false), f.PositionFor(pos+token.Pos(n), false)
		list = append(list, [2]int{from.Line, from.Column}, [2]int{to.Line, to.Column})
	}
}
