package tabletext

import (
	"fmt"
	"strings"
	"testing"
)

const text = "p\texample.com/p\nf\tf.go\n" +
	"m\t0123456789abcdef\tfunc\t0\t1\t1\t0\t-\t-\t1\texample.com/p.F\n\n" +
	"m\t0000000000000001\tif\t0\t2\t1\t0\tct\t-\t100\texample.com/p.F:if#1 a\tb\n" +
	"m\t0000000000000002\tpoint\t0\t2\t1\t9\t-\t-\t-\tdone\n" +
	"c\t0000000000000003\tfunc\t0\t3\t1\texample.com/p.G\n" +
	"b\t1\t2\t3\ne\nx\n"

func TestNext(t *testing.T) {
	var b strings.Builder
	i := uint32(0)
	for line, rest := Next(text); line != ""; line, rest = Next(rest) {
		switch line.Kind() {
		case Package:
			fmt.Fprintln(&b, "package", line.ImportPath())
		case Marker:
			n, ok := line.Rate()
			fmt.Fprintln(&b, "marker", line.ID(), line.IsFunction(), line.IsPoint(), line.CountsOnly(), line.FollowsCall(), line.Gate(i, 3), n, ok, line.Name())
			i++
		case Counter:
			fmt.Fprintln(&b, "counter", line.ID(), line.Name())
		case Block:
			fmt.Fprintln(&b, "block")
		default:
			fmt.Fprintln(&b, line, line == LastTable)
		}
	}
	want := `package example.com/p
f	f.go false
marker 0123456789abcdef true false false false 0 1 true example.com/p.F
marker 0000000000000001 false false true true 0 100 true example.com/p.F:if#1 a	b
marker 0000000000000002 false true false false 2 0 false done
counter 0000000000000003 example.com/p.G
block
e true
x false
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

// Next ends for any text.
func FuzzNext(f *testing.F) {
	f.Add(text)
	f.Fuzz(func(t *testing.T, text string) {
		all := 0
		for line, rest := Next(text); line != ""; line, rest = Next(rest) {
			all += len(line)
			if len(line.Name())+len(line.ID()) > len(line) || line.Gate(0, 1) != 0 {
				t.Errorf("%q has the name %q, the ID %q and another gate than its own", line, line.Name(), line.ID())
			}
			if _, ok := line.Rate(); ok && line.Kind() == Package && line.ImportPath() == "" {
				t.Errorf("%q has a rate", line)
			}
		}
		if want := len(text) - strings.Count(text, "\n"); all != want {
			t.Errorf("%d bytes in lines of %q, want %d", all, text, want)
		}
	})
}

// A stopwatch has a table of one marker, whose ID depends on its name only.
func TestStopwatch(t *testing.T) {
	text := Stopwatch("load\tall", "a.go", 7)
	importPath, markers := Describe(text)
	if !IsStopwatch(text) || IsStopwatch("p\ta\n") || IsLast(text) || importPath != "-" || markers != 1 {
		t.Errorf("%q: package %q, %d markers", text, importPath, markers)
	}
	line := Line("")
	for l, rest := Next(text); l != ""; l, rest = Next(rest) {
		line = l
	}
	if line.Name() != "load all" || line.ID() != Line(Stopwatch("load\tall", "b.go", 8)[len("p\t-\nf\tb.go\n"):]).ID() {
		t.Errorf("%q is named %q, ID %s", text, line.Name(), line.ID())
	}
	if !IsLast("s\ne\np\tmain\n") || IsLast("p\tmain\ne\n") {
		t.Error("the last table")
	}
}
