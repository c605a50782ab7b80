package overlay

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// A kept archive is found again if nothing that the compiler reads has changed, wherever go put it,
// and only then.
func TestCompilation(t *testing.T) {
	t.Setenv("TOOLEXEC_IMPORTPATH", "example.com/p")
	dir := t.TempDir()
	// call writes the inputs of a compiler invocation and returns its arguments.
	call := func(work, id string, change map[string]string, more ...string) []string {
		files := map[string]string{
			"importcfg":     "# import config\nimportmap a=b\npackagefile example.com/a=" + filepath.Join(dir, work, "a.a") + "\n",
			"a.a":           archive("go object x\nbuild id \""+id+"\"\nwhat a exports", "what is in a"),
			"embedcfg":      `{"Patterns":{"x.txt":["x.txt"]},"Files":{"x.txt":"` + filepath.Join(dir, "x.txt") + `"}}`,
			"../x.txt":      "text",
			"../p.go":       "package p\n",
			"../cover.json": "{}",
		}
		for name, text := range change {
			files[name] = text
		}
		for name, text := range files {
			name = filepath.Join(dir, work, name)
			if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		in := func(name string) string { return filepath.Join(dir, work, name) }
		args := []string{"-coveragecfg=" + in("../cover.json"), "-o", in("_pkg_.a"), "-trimpath", dir + "=>x;" + in("") + "=>", "-p", "example.com/p",
			"-lang=go1.26", "-complete", "-buildid", id + "/" + id, "-c=2", "-importcfg", in("importcfg"), "-embedcfg", in("embedcfg"), "-pack"}
		return append(append(args, more...), in("../p.go"))
	}
	of := func(args []string) *compilation {
		t.Helper()
		c, err := newCompilation(os.Args[0], args)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	first := of(call("b001", "one", nil))
	for _, tt := range []struct {
		name       string
		change     map[string]string
		more       []string
		slot, same bool
	}{
		{"nothing", nil, nil, true, true},
		{"what is in an imported package", map[string]string{"a.a": archive("go object x\nbuild id \"three\"\nwhat a exports", "something else")}, nil, true, true},
		{"what an imported package exports", map[string]string{"a.a": archive("go object x\nbuild id \"one\"\nwhat b exports", "what is in a")}, nil, true, false},
		{"another compiler's export", map[string]string{"a.a": archive("go object y\nbuild id \"one\"\nwhat a exports", "what is in a")}, nil, true, false},
		{"an imported package more", map[string]string{"importcfg": "packagefile c=" + filepath.Join(dir, "b017", "a.a") + "\n"}, nil, true, false},
		{"what is embedded", map[string]string{"../x.txt": "Text"}, nil, true, false},
		{"source", map[string]string{"../p.go": "package p // \n"}, nil, true, false},
		{"a configuration", map[string]string{"../cover.json": "{ }"}, nil, true, false},
		{"a flag", nil, []string{"-race"}, false, false},
		{"a flag's value", nil, []string{"-lang=go1.25"}, false, false},
	} {
		c := of(call("b017", "two", tt.change, tt.more...))
		if (c.slot == first.slot) != tt.slot || (c.key == first.key) != tt.same {
			t.Errorf("%s is different: same slot %v, same key %v; want %v, %v", tt.name, c.slot == first.slot, c.key == first.key, tt.slot, tt.same)
		}
	}
	for _, more := range [][]string{{"-m"}, {"-asmhdr", "x"}, {"-linkobj", "x"}, {"-o", "relative"}, {"-cpuprofile=x"}, {"missing.go"}, {"-buildid", ""}} {
		if c, err := newCompilation(os.Args[0], call("b001", "one", nil, more...)); err == nil {
			t.Errorf("%q: %v, want an error", more, c)
		}
	}
	for _, text := range []string{"", "!<arch>\n", archive("what a exports", ""), archive("go object x\nbuild ID\n", ""), archive("go object x\nbuild id \"one\"\n", "")[:90]} {
		if c, err := newCompilation(os.Args[0], call("b001", "one", map[string]string{"a.a": text})); err == nil {
			t.Errorf("%q is imported: %v, want an error", text, c)
		}
	}
}

// archive returns an archive of two members.
func archive(exports, code string) string {
	var b strings.Builder
	b.WriteString(archiveStart)
	for _, m := range [][2]string{{"__.PKGDEF", exports}, {"_go_.o", code}} {
		head := m[0] + strings.Repeat(" ", memberSize-len(m[0])) + strconv.Itoa(len(m[1]))
		b.WriteString(head + strings.Repeat(" ", memberHeader-2-len(head)) + "`\n" + m[1])
	}
	return b.String()
}

// A kept archive is only used for the same compilation, and not if it is damaged.
func TestKeptArchive(t *testing.T) {
	c := &compilation{key: "key", buildID: "one/one"}
	text := c.keep([]byte("build id one/one, twice: one/one"))
	again := &compilation{key: "key", buildID: "two/two"}
	if got, ok := again.kept(text); !ok || string(got) != "build id two/two, twice: two/two" {
		t.Errorf("%q, %v", got, ok)
	}
	for name, tt := range map[string]struct {
		c    compilation
		text []byte
	}{
		"another key":           {compilation{key: "kay", buildID: "two/two"}, text},
		"a longer build ID":     {compilation{key: "key", buildID: "three/three"}, text},
		"a shorter file":        {*again, text[:len(text)-1]},
		"a longer file":         {*again, append(text[:len(text):len(text)], 'x')},
		"a file with no header": {*again, text[1:]},
		"nothing":               {*again, nil},
	} {
		if got, ok := tt.c.kept(tt.text); ok {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func FuzzKeptArchive(f *testing.F) {
	c := &compilation{key: "key", buildID: "one/one"}
	f.Add(c.keep([]byte("build id one/one")))
	f.Add([]byte(archive("go object x\nbuild id \"one\"\nexports", "code")))
	f.Fuzz(func(t *testing.T, text []byte) {
		if got, ok := c.kept(text); ok && !bytes.Equal(c.keep(got), c.keep(text[bytes.IndexByte(text, '\n')+1:])) {
			t.Errorf("%q of %q", got, text)
		}
		if size, err := exportsSize(text); err == nil && size < 0 {
			t.Errorf("%d bytes", size)
		}
		if rest, err := withoutBuildID(text); err == nil && (len(rest) >= len(text) || !bytes.HasPrefix(rest, []byte("go object "))) {
			t.Errorf("%q of %q", rest, text)
		}
	})
}
