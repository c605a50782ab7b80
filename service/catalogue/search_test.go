package catalogue_test

import (
	"bytes"
	"cmp"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/registry"
	"github.com/markgen/markgen/service/catalogue"
	"github.com/markgen/markgen/service/catalogue/cataloguetest"
	"github.com/markgen/markgen/tier"
)

// api returns an API with a name.
func api(id registry.ID, pkg, function string, count uint64) fleet.API {
	return fleet.API{ID: id, Package: pkg, Name: pkg + "." + function, Kind: "func", Count: count}
}

func found(t *testing.T, x *catalogue.Index, q catalogue.Query) (names []string) {
	t.Helper()
	f, err := x.Search(q)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range f.APIs {
		names = append(names, a.Name)
	}
	return names
}

func TestSearch(t *testing.T) {
	x := catalogue.New()
	x.Put(
		api(1, "bytes", "(*Buffer).Write", 1000),
		api(2, "bytes", "(*Buffer).WriteString", 50_000),
		api(3, "bytes", "(*Buffer).Write:for#1", 9000),
		api(4, "bufio", "(*Writer).Write", 2000),
		api(5, "example.com/rewrite", "Apply", 1),
		api(6, "net/http", "(*HTTPServer).Overwrite", 1<<40),
		api(7, "encoding/json", "Marshal", 70),
		api(8, "gopkg.in/yaml.v3", "Marshal", 60),
		api(9, "example.com/shop", "Write", 3),
	)
	for _, test := range []struct {
		query string
		want  string
	}{
		{"bytes.(*Buffer).Write", "bytes.(*Buffer).Write, bytes.(*Buffer).WriteString, bytes.(*Buffer).Write:for#1"},
		{"bytes.(*Buf", "bytes.(*Buffer).WriteString, bytes.(*Buffer).Write:for#1, bytes.(*Buffer).Write"},
		{"Buffer.Write", "bytes.(*Buffer).Write, bytes.(*Buffer).WriteString, bytes.(*Buffer).Write:for#1"},
		{"buffer.write", "bytes.(*Buffer).Write, bytes.(*Buffer).WriteString, bytes.(*Buffer).Write:for#1"},
		{"(*buffer).write", "bytes.(*Buffer).Write, bytes.(*Buffer).WriteString, bytes.(*Buffer).Write:for#1"},
		{"(*Writer)", "bufio.(*Writer).Write"},
		{"bUffer.write", ""},
		{"buf write", "bufio.(*Writer).Write, bytes.(*Buffer).Write, bytes.(*Buffer).WriteString, bytes.(*Buffer).Write:for#1"},
		{"write", "bufio.(*Writer).Write, bytes.(*Buffer).Write, example.com/shop.Write, bytes.(*Buffer).WriteString, bytes.(*Buffer).Write:for#1, net/http.(*HTTPServer).Overwrite, example.com/rewrite.Apply"},
		{"Write", "bufio.(*Writer).Write, bytes.(*Buffer).Write, example.com/shop.Write, bytes.(*Buffer).WriteString, bytes.(*Buffer).Write:for#1"},
		{"server", "net/http.(*HTTPServer).Overwrite"},
		{"json.Marshal", "encoding/json.Marshal"},
		{"yaml.v3.Mar", "gopkg.in/yaml.v3.Marshal"},
		{"v3.Marshal", "gopkg.in/yaml.v3.Marshal"},
		{"son.mar", "encoding/json.Marshal"},
		{".Marshal", "encoding/json.Marshal, gopkg.in/yaml.v3.Marshal"},
		{"marshal enc", "encoding/json.Marshal"},
		{"nothing of the kind", ""},
		{"for#1", "bytes.(*Buffer).Write:for#1"},
		{"example.com", "example.com/shop.Write, example.com/rewrite.Apply"},
	} {
		if got := strings.Join(found(t, x, catalogue.Query{Text: test.query}), ", "); got != test.want {
			t.Errorf("%s\n got %s\nwant %s", test.query, got, test.want)
		}
	}
}

// A naive reference implementation of the search.

type referred struct {
	quality int
	api     *fleet.API
	text    string
}

// bare returns a name without receiver signs, and the offset of its function.
func bare(a *fleet.API) (text string, function int) {
	name := a.Name
	if a.Package != "" && strings.HasPrefix(name, a.Package+".") {
		function = len(a.Package) + 1
	}
	if f := name[function:]; strings.HasPrefix(f, "(*") {
		if end := strings.Index(f, ")."); end > 2 && !strings.ContainsAny(f[2:end], ").") {
			name = name[:function] + f[2:end] + f[end+1:]
		}
	}
	return name, function
}

// low returns the lower case of r if it has the same length and maps back to r.
func low(r rune) rune {
	if l := unicode.ToLower(r); l != r && utf8.RuneLen(l) == utf8.RuneLen(r) && unicode.ToUpper(l) == r {
		return l
	}
	return r
}

func lowered(s string) string {
	var b strings.Builder
	for i, r := range s {
		if r == utf8.RuneError {
			_, n := utf8.DecodeRuneInString(s[i:])
			b.WriteString(s[i : i+n])
			continue
		}
		b.WriteRune(low(r))
	}
	return b.String()
}

func capital(s string, i int) bool {
	r, n := utf8.DecodeRuneInString(s[i:])
	return utf8.RuneStart(s[i]) && (r != utf8.RuneError || n > 1) && low(r) != r
}

func isBoundary(text string, from, at, to int) bool {
	if at == from {
		return true
	}
	inWord := func(c byte) bool {
		return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c >= utf8.RuneSelf
	}
	if !inWord(text[at-1]) || !inWord(text[at]) {
		return true
	}
	if !capital(text, at) {
		return false
	}
	before := at - 1
	for before > from && !utf8.RuneStart(text[before]) {
		before--
	}
	if !capital(text, before) {
		return true
	}
	_, n := utf8.DecodeRuneInString(text[at:])
	if at+n >= to {
		return false
	}
	c := text[at+n]
	return inWord(c) && (c < '0' || c > '9') && !capital(text, at+n)
}

func reference(list []fleet.API, q catalogue.Query) (out []referred) {
	var words []string
	for _, w := range strings.Fields(q.Text) {
		for strings.Contains(w, "(*") {
			before, rest, _ := strings.Cut(w, "(*")
			w = before + strings.Replace(rest, ")", "", 1)
		}
		if w != "" && len(words) < catalogue.MostWords {
			words = append(words, w[:min(len(w), catalogue.LongWord)])
		}
	}
	for i := range list {
		a := &list[i]
		text, function := bare(a)
		sum := 0
		for _, w := range words {
			best := 9
			folded, sought := text, w
			if lowered(w) == w {
				folded, sought = lowered(text), lowered(w)
			}
			for at := range len(text) - len(w) + 1 {
				if folded[at:at+len(w)] != sought {
					continue
				}
				quality := 3
				from, to := 0, len(text)
				if at+len(w) < function {
					to = function - 1
				}
				if at >= function {
					from = function
				}
				switch end := at + len(w); {
				case at == 0 && end == len(text):
					quality = 0
				case end == len(text) && (at == 0 || text[at-1] == '.' || text[at-1] == '/'):
					quality = 1
				case isBoundary(text, from, at, to):
					quality = 2
				}
				best = min(best, quality)
			}
			sum += best
			if best == 9 {
				sum = -1
				break
			}
		}
		if sum < 0 || q.Kind != "" && a.Kind != q.Kind || q.Package != "" && a.Package != q.Package {
			continue
		}
		out = append(out, referred{sum, a, text})
	}
	functionOf := func(r referred) string {
		_, f := bare(r.api)
		return lowered(r.text[f:])
	}
	slices.SortFunc(out, func(a, b referred) int {
		return cmp.Or(
			cmp.Compare(a.quality, b.quality),
			cmp.Compare(bits.Len64(b.api.Count), bits.Len64(a.api.Count)),
			cmp.Compare(len(a.text), len(b.text)),
			strings.Compare(functionOf(a), functionOf(b)),
			strings.Compare(a.api.Package, b.api.Package),
			cmp.Compare(a.api.ID, b.api.ID))
	})
	return out
}

// same compares index and reference, page by page.
func same(t *testing.T, x *catalogue.Index, list []fleet.API, q catalogue.Query) {
	t.Helper()
	want := reference(list, q)
	var got []fleet.API
	for pages := 0; ; pages++ {
		f, err := x.Search(q)
		if err != nil {
			t.Fatalf("%+v: %v", q, err)
		}
		if !f.More && f.Total != len(want) || f.More && f.Total >= len(want) {
			t.Fatalf("%+v: found %d (more: %t), not %d", q, f.Total, f.More, len(want))
		}
		got = append(got, f.APIs...)
		if f.Next == "" {
			break
		}
		if len(f.APIs) == 0 {
			t.Fatalf("%+v: there is more, and nothing comes", q)
		}
		if pages == 5 { // not all pages of thousands of results
			want = want[:len(got)]
			break
		}
		q.After = f.Next
	}
	var names, wanted []string
	for i := range got {
		names = append(names, fmt.Sprint(got[i].ID, " ", got[i].Name))
	}
	for _, r := range want {
		wanted = append(wanted, fmt.Sprint(r.api.ID, " ", r.api.Name))
	}
	if diff := gocmp.Diff(wanted, names); diff != "" {
		t.Fatalf("%+v (- reference, + index):\n%s", q, diff)
	}
}

// mix returns made-up names, including very strange ones.
func mix(n int) []fleet.API {
	list := cataloguetest.Make(n, 7)
	odd := []string{"", ".", "(*", "(*)", "(*T).", "(*T).M", "(**T).M", "(*T.U).M", "(*T)).M", "A", "a.A", "(*ÄÖ).Üb", "ǅx", "K.k", "\xff\xfe", "ſs", "parse headers", "<script>", "x:for#1", "TotalHTTP2Server_x", "ÉÈé", "aB\xffC"}
	paths := []string{"", "bytes", "a.b", "a/b.c/d", "Ünder/Weg", "x.", ".", "A/B", "example.com/shop"}
	id := registry.ID(1)
	for _, path := range paths {
		for _, f := range odd {
			id++
			a := fleet.API{ID: id, Package: path, Name: path + "." + f, Kind: "func", Count: uint64(id) % 5}
			if id%7 == 0 {
				a.Name = f // does not start with its package
			}
			list = append(list, a)
		}
	}
	return list
}

func TestSearchAsReference(t *testing.T) {
	all, typed := 12_000, 150
	if !tier.InCorpus() {
		all, typed = 4000, 80
	}
	list := mix(all)
	x := catalogue.New()
	x.Put(list...)
	r := rand.New(rand.NewPCG(1, 2))
	for _, q := range []string{"", "e", "E", ".", "write", "Write", "buf", "s p", "example", "server.go", "(*T).M", "(*", "a.b", "ä", "Ä", "github.com/ write", "for#1", "er re in"} {
		same(t, x, list, catalogue.Query{Text: q, Limit: 100})
		same(t, x, list, catalogue.Query{Text: q, Limit: 7, Kind: "loop"})
	}
	for range typed {
		// Parts of names, as users type them.
		var words []string
		for range 1 + r.IntN(3) {
			name := list[r.IntN(len(list))].Name
			from := r.IntN(len(name) + 1)
			word := name[from:min(len(name), from+1+r.IntN(12))]
			if r.IntN(2) == 0 {
				word = strings.ToLower(word)
			}
			words = append(words, word)
		}
		q := catalogue.Query{Text: strings.Join(words, " "), Limit: 1 + r.IntN(60)}
		if r.IntN(4) == 0 {
			q.Package = list[r.IntN(len(list))].Package
		}
		same(t, x, list, q)
	}
}

func FuzzSearch(f *testing.F) {
	f.Add("bytes.(*Buffer).Write", "bytes", "(*Buffer).Write", "(*Buffer).ReadFrom:for#1")
	f.Add("ä write", "Ä.x/y", "(*Ünder).WriteÄ", "\xff")
	f.Add("a.b.c", "a.b", "c.a.b.c", "a")
	f.Fuzz(func(t *testing.T, query, path, one, two string) {
		if len(path)+len(one)+len(two) > 1000 {
			return
		}
		list := []fleet.API{
			{ID: 1, Package: path, Name: path + "." + one, Kind: "func", Count: 5},
			{ID: 2, Package: path, Name: path + "." + two, Kind: "loop", Count: 4},
			{ID: 3, Package: path, Name: one, Kind: "loop", Count: 4},
			{ID: 4, Package: one, Name: one + "." + two, Kind: "func"},
			{ID: 5, Package: "", Name: two, Kind: "func", Count: 1},
		}
		x := catalogue.New()
		x.Put(list...)
		for i := range list {
			if a, ok := x.API(list[i].ID); !ok || a.Name != list[i].Name || a.Package != list[i].Package {
				t.Fatalf("%q has become %q", list[i].Name, a.Name)
			}
		}
		same(t, x, list, catalogue.Query{Text: query, Limit: 2})
		if _, err := x.Search(catalogue.Query{After: catalogue.Cursor(query)}); err == nil && query != "" && !strings.HasPrefix(query, "0-") {
			t.Errorf("%q passes for a cursor", query)
		}
	})
}

func TestCursorThatIsNone(t *testing.T) {
	x := catalogue.New()
	x.Put(api(1, "bytes", "Equal", 3))
	for _, c := range []catalogue.Cursor{"x", "0-2-0000000000000009", "0-2-0000000000000001x", "-1-2-0000000000000001"} {
		if _, err := x.Search(catalogue.Query{After: c}); err == nil {
			t.Errorf("%q passes for a cursor", c)
		}
	}
	if f, err := x.Search(catalogue.Query{After: "0-2-0000000000000001"}); err != nil || len(f.APIs) != 0 {
		t.Errorf("after the last: %v, %v", f.APIs, err)
	}
}

// Put replaces an API with its name and package.
func TestPutAgain(t *testing.T) {
	list := mix(6000)
	x := catalogue.New()
	x.Put(list...)
	r := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		a := &list[r.IntN(len(list))]
		switch r.IntN(3) {
		case 0:
			a.Count *= 3
		case 1:
			other := list[r.IntN(len(list))]
			a.Package, a.Name = other.Package, other.Name+"Again"
		case 2:
			a.Package = "moved/" + a.Package
			a.Name = "moved/" + a.Name
		}
		x.Put(*a)
	}
	if x.Len() != len(list) {
		t.Errorf("%d APIs, not %d", x.Len(), len(list))
	}
	for i := range list {
		a, ok := x.API(list[i].ID)
		want := list[i]
		for _, at := range []*time.Time{&a.First, &a.Changed, &want.First, &want.Changed} {
			if at.IsZero() {
				*at = time.Unix(0, 0).UTC()
			}
		}
		if diff := gocmp.Diff(want, a); !ok || diff != "" {
			t.Fatalf("%t, (- put, + had):\n%s", ok, diff)
		}
	}
	for _, q := range []string{"again", "moved/", "write", ""} {
		same(t, x, list, catalogue.Query{Text: q, Limit: 30})
	}
	counts := map[string]int{}
	for i := range list {
		counts[list[i].Package]++
	}
	all, total := x.Packages("", 1<<20)
	if total != len(counts) || len(all) != total || !slices.IsSortedFunc(all, func(a, b catalogue.Package) int { return strings.Compare(a.Path, b.Path) }) {
		t.Errorf("%d packages of %d, not %d, or not sorted", len(all), total, len(counts))
	}
	for _, p := range all {
		if p.APIs != counts[p.Path] {
			t.Errorf("%d APIs of %q, not %d", p.APIs, p.Path, counts[p.Path])
		}
	}
	var some []catalogue.Package
	for after := ""; ; after = some[len(some)-1].Path {
		next, _ := x.Packages(after, 100)
		if some = append(some, next...); len(next) < 100 {
			break
		}
	}
	if len(some) < len(all)-1 || !bytes.Equal(fmt.Append(nil, some[1:]), fmt.Append(nil, all[1:])) {
		t.Error("page by page there are other packages")
	}
}
