package cover

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/markgen/markgen/rewrite/gc"
	"github.com/markgen/markgen/tier"
)

// release is the release of the running toolchain.
var release = gc.Of(runtime.Version())

var coverAll = flag.Bool("cover-all", false, "compare every file of GOROOT/src, cmd and go/types' testdata included, with go tool cover")

// coverDirs are the directories below GOROOT/src that are compared by default: parsers, schedulers and
// generated tables, with labels, gotos, selects, literals everywhere, and //line.
var coverDirs = []string{
	"bufio", "cmd/compile/internal/syntax", "cmd/cover", "cmd/cover/testdata", "cmd/vendor/github.com/ianlancetaylor/demangle",
	"encoding/json", "fmt", "go/parser", "go/printer", "internal/types/testdata/check", "iter", "net/http/httputil",
	"regexp", "regexp/syntax", "sort", "strconv", "sync", "text/template", "text/template/parse", "time",
}

// A coverRow is a block in the form in which both sides can be compared.
type coverRow struct {
	StartLine, StartCol, EndLine, EndCol, NumStmt int
}

func coverRows(bs []Block) []coverRow {
	rows := make([]coverRow, len(bs))
	for i, b := range bs {
		rows[i] = coverRow{b.StartLine, b.StartCol & 0xffff, b.EndLine, b.EndCol & 0xffff, min(b.NumStmt, 1<<16-1)}
	}
	return rows
}

var (
	coverPosLine  = regexp.MustCompile(`(?m)^\t\t(\d+), (\d+), (0x[0-9a-f]+), // \[\d+\]$`)
	coverStmtLine = regexp.MustCompile(`(?m)^\t\t(\d+), // \d+$`)
)

// coverTool returns the block table that go tool cover writes for a file, and its whole output.
func coverTool(tool, file string) ([]coverRow, []byte, error) {
	var stderr bytes.Buffer
	cmd := exec.Command(tool, "-mode=count", "-var=GoCoverTable", file)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, nil, fmt.Errorf("%v\n%s", err, stderr.Bytes())
	}
	i := bytes.LastIndex(out, []byte("\nvar GoCoverTable = struct {"))
	table := out[i:]
	var rows []coverRow
	for _, m := range coverPosLine.FindAllSubmatch(table, -1) {
		n := [3]int{}
		for i := range n {
			v, err := strconv.ParseInt(string(m[i+1]), 0, 64)
			if err != nil {
				return nil, nil, err
			}
			n[i] = int(v)
		}
		rows = append(rows, coverRow{StartLine: n[0], EndLine: n[1], StartCol: n[2] & 0xffff, EndCol: n[2] >> 16})
	}
	for i, m := range coverStmtLine.FindAllSubmatch(table, -1) {
		rows[i].NumStmt, _ = strconv.Atoi(string(m[1]))
	}
	return rows, out, nil
}

func coverToolPath(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "tool", "-n", "cover").Output()
	if err != nil {
		t.Fatalf("go tool -n cover: %v", err)
	}
	return strings.TrimSpace(string(out))
}

func coverParse(t *testing.T, file string, src []byte) (*token.FileSet, *ast.File) {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, src, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	return fset, f
}

func TestCoverBlocksEqualGoToolCover(t *testing.T) {
	tool := coverToolPath(t)
	src := filepath.Join(tier.GOROOT(t), "src")
	var files []string
	if *coverAll {
		err := filepath.WalkDir(src, func(path string, d os.DirEntry, err error) error {
			if err == nil && !d.IsDir() && strings.HasSuffix(path, ".go") {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	} else {
		for _, dir := range coverDirs {
			names, _ := filepath.Glob(filepath.Join(src, dir, "*.go"))
			files = append(files, names...)
		}
	}
	own, err := filepath.Glob("testdata/*.go")
	if err != nil {
		t.Fatal(err)
	}
	files = append(files, own...)
	compared, blocks := make(chan int, len(files)), 0
	t.Run("files", func(t *testing.T) {
		for chunk := range slices.Chunk(files, 100) {
			t.Run(strings.TrimPrefix(chunk[0], src+"/"), func(t *testing.T) {
				t.Parallel()
				for _, file := range chunk {
					compared <- coverCompare(t, tool, file)
				}
			})
		}
	})
	close(compared)
	n := 0
	for b := range compared {
		if b > 0 {
			n++
			blocks += b
		}
	}
	t.Logf("%d files with %d blocks", n, blocks)
	if n < len(files)/2 {
		t.Errorf("only %d of %d files could be compared", n, len(files))
	}
}

// coverCompare compares one file and returns the number of its blocks.
func coverCompare(t *testing.T, tool, file string) int {
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, src, parser.ParseComments)
	if err != nil {
		return 0 // go/types' testdata has files with errors
	}
	want, _, err := coverTool(tool, file)
	if err != nil {
		t.Errorf("%s: %v", file, err)
		return 0
	}
	blocks := Blocks(fset, f, src, release)
	got := coverRows(blocks)
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Errorf("%s: block %d of %d: got %v, go tool cover has %v of %d", file, i, len(got),
				got[min(i, len(got)):min(i+1, len(got))], want[min(i, len(want)):min(i+1, len(want))], len(want))
			break
		}
	}
	counted := coverInsert(fset, f, src, blocks, func(i int) string { return "C.Count[" + strconv.Itoa(i) + "]++" })
	if _, err := parser.ParseFile(token.NewFileSet(), file, counted, parser.SkipObjectResolution); err != nil {
		t.Errorf("%s: with counters: %v", file, err)
	}
	return len(blocks)
}

// coverInsert inserts counters into src as documented at Block, except where counter returns "".
func coverInsert(fset *token.FileSet, f *ast.File, src []byte, blocks []Block, counter func(i int) string) []byte {
	type edit struct {
		at   int
		text string
	}
	var edits []edit
	tf := fset.File(f.FileStart)
	for i, b := range blocks {
		text := counter(i) + ";"
		if b.Dead {
			continue
		}
		if b.Close.IsValid() {
			text = "{" + text
			edits = append(edits, edit{tf.Offset(b.Close), "}"})
		}
		edits = append(edits, edit{tf.Offset(b.At), text})
	}
	slices.SortStableFunc(edits, func(a, b edit) int { return a.at - b.at })
	var out []byte
	last := 0
	for _, e := range edits {
		out = append(append(out, src[last:e.at]...), e.text...)
		last = e.at
	}
	return append(out, src[last:]...)
}

// TestCoverCounts runs the programs in testdata with our counters and with those of go tool
// cover, and compares all counts.
func TestCoverCounts(t *testing.T) {
	for _, name := range []string{"program.go", "branches.go"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			coverCounts(t, "testdata/"+name)
		})
	}
}

func coverCounts(t *testing.T, name string) {
	src, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	fset, f := coverParse(t, name, src)
	blocks := Blocks(fset, f, src, release)
	ours := coverInsert(fset, f, src, blocks, func(i int) string { return "GoCoverTable.Count[" + strconv.Itoa(i) + "]++" })
	ours = append(ours, fmt.Sprintf("\nvar GoCoverTable struct{ Count [%d]uint32 }\n", len(blocks))...)
	_, theirs, err := coverTool(coverToolPath(t), name)
	if err != nil {
		t.Fatal(err)
	}
	run := func(text []byte) []int {
		dir := t.TempDir()
		dump := "package main\n\nfunc init() { dump = func() { for _, n := range GoCoverTable.Count { println(n) } } }\n"
		for name, text := range map[string][]byte{"program.go": text, "dump.go": []byte(dump)} {
			if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command("go", "run", "program.go", "dump.go")
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		var counts []int
		for _, field := range strings.Fields(string(out)) {
			n, err := strconv.Atoi(field)
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			counts = append(counts, n)
		}
		if len(counts) != len(blocks) {
			t.Fatalf("%d counts for %d blocks", len(counts), len(blocks))
		}
		return counts
	}
	got, want := run(ours), run(theirs)
	for i, b := range blocks {
		if got[i] != want[i] {
			t.Errorf("%s:%d:%d: counted %d times, by go tool cover %d times", name, b.StartLine, b.StartCol, got[i], want[i])
		}
	}
}

// TestCoverPlaces checks where counters are inserted, also where go tool cover gets it wrong.
func TestCoverPlaces(t *testing.T) {
	for _, tt := range []struct{ name, body, want string }{
		{"empty", "{}", "{@;}"},
		{"one line", "{ a(); b() }", "{@; a(); b() }"},
		{"literal", "{ f := func() { a() }; f() }", "{@; f := func() {@; a() }; @;f() }"},
		{"else", "{ if x { a() } else { b() } }", "{@; if x {@; a() } else {@; b() } }"},
		{"else if", "{ if x { a() } else if y { b() } }", "{@; if x {@; a() } else{@; if y {@; b() }} }"},
		{"else comment", "{ if x { a() } /* else */ else/*b*/if y { b() } }", "{@; if x {@; a() } /* else */ else{@;/*b*/if y {@; b() }} }"},
		{"else slash comment", "{ if x { a() } /*/ else /*/ else/*b*/if y { b() } }", "{@; if x {@; a() } /*/ else /*/ else{@;/*b*/if y {@; b() }} }"},
		{"label", "{ goto l; l: a(); b() }", "{@; goto l; l: @;a(); b() }"},
		{"label for", "{ l: for { break l } }", "{@; l: for {@; break l } }"},
		{"label for later", "{ {a()}; l: for { break l } }", "{@; {@;a()}; @;l: for {@; break l } }"},
		{"label at the end", "{ goto l; l: }", "{@; goto l; l: }"},
		{"labels", "{ l: m: for { goto l } }", "{@; l: @;m: for {@; goto l } }"},
		{"switch", "{ switch x { case 1: a(); fallthrough; default: } }", "{@; switch x { case 1:@; a(); fallthrough; default:@; } }"},
		{"nothing behind fallthrough", "{ switch x { case 1: fallthrough;; default: } }", "{@; switch x { case 1:@; fallthrough;; default:@; } }"},
		{"nothing behind panic", "{ panic(1);; }", "{@; panic(1);; }"},
		{"nothing behind goto", "{ l: goto l;; }", "{@; l: @;goto l;; }"},
		{"something behind break", "{ for { break;; }; a() }", "{@; for {@; break;@;; }; @;a() }"},
		{"nothing behind for", "{ for {};; }", "{@; for {@;};; }"},
		{"something behind for", "{ for x {};; }", "{@; for x {@;};@;; }"},
		{"for left by break", "{ for { break };; }", "{@; for {@; break };@;; }"},
		{"for left by label", "{ l: for { for { break l } };; }", "{@; l: for {@; for {@; break l } };@;; }"},
		{"nothing behind if", "{ if x { return } else { panic(1) };; }", "{@; if x {@; return } else {@; panic(1) };; }"},
		{"something behind if", "{ if x { return };; }", "{@; if x {@; return };@;; }"},
		{"nothing behind switch", "{ switch { case x: fallthrough; default: return };; }", "{@; switch { case x:@; fallthrough; default:@; return };; }"},
		{"something behind switch", "{ switch { case x: return };; }", "{@; switch { case x:@; return };@;; }"},
		{"nothing behind select", "{ select {};; }", "{@; select {};; }"},
		{"nothing behind type switch", "{ switch x.(type) { default: for {} };; }", "{@; switch x.(type) { default:@; for {@;} };; }"},
		{"nothing behind an empty line", "{ return\n\n; }", "{@; return\n\n; }"}, // Go 1.27's cover fails on it
		{"nothing behind block", "{ { return };; }", "{@; {@; return };; }"},
	} {
		src := []byte("package p\n\nfunc f() " + tt.body + "\n")
		fset, f := coverParse(t, "p.go", src)
		for _, release := range gc.Releases {
			out := coverInsert(fset, f, src, Blocks(fset, f, src, release), func(int) string { return "@" })
			got := strings.TrimSuffix(strings.TrimPrefix(string(out), "package p\n\nfunc f() "), "\n")
			if got != tt.want {
				t.Errorf("%s, %s:\n got %s\nwant %s", tt.name, release.Lang, got, tt.want)
			}
		}
	}
}

func TestCoverFuncAndFile(t *testing.T) {
	src := []byte("package p\n\nfunc _() { a() }\nfunc b()\nvar v = func() { func() {}() }\n//line /x/y.go:17:3\nfunc c() { defer func() {}() }\n")
	fset, f := coverParse(t, "p.go", src)
	for i, want := range [][]string{ // by release
		{
			"p.go *ast.FuncLit 5.16-5.25 1", "p.go *ast.FuncLit 5.26-5.27 0",
			"y.go *ast.FuncDecl 17.12-17.27 1", "y.go *ast.FuncLit 17.28-17.29 0",
		},
		{
			"p.go *ast.FuncLit 5.18-5.25 1", "p.go *ast.FuncLit 5.26-5.26 0",
			"y.go *ast.FuncDecl 7.12-7.25 1", "y.go *ast.FuncLit 7.26-7.26 0",
		},
	} {
		var got []string
		for _, b := range Blocks(fset, f, src, gc.Releases[i]) {
			got = append(got, fmt.Sprintf("%s %T %d.%d-%d.%d %d", b.File, b.Func, b.StartLine, b.StartCol, b.EndLine, b.EndCol, b.NumStmt))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got\n%s\nwant\n%s", gc.Releases[i].Lang, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

func FuzzBlocks(f *testing.F) {
	src, err := os.ReadFile("testdata/program.go")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(src)
	f.Add([]byte("package p\nfunc f() { if x {} else/*b*/if y {} else {} }"))
	f.Add([]byte("package p\nfunc f() { switch x { case 1: return; case 2: if y { break }; return }; a() }"))
	f.Fuzz(func(t *testing.T, src []byte) {
		fset := token.NewFileSet()
		parsed, err := parser.ParseFile(fset, "p.go", src, parser.ParseComments)
		if err != nil {
			return
		}
		blocks := Blocks(fset, parsed, src, release)
		out := coverInsert(fset, parsed, src, blocks, func(int) string { return "c++" })
		if _, err := format.Source(out); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	})
}
