package overlay

import (
	"slices"
	"strings"
	"testing"
)

// A -o that is meant for the data is not taken for the name of the test binary.
func TestOutputOfTest(t *testing.T) {
	for line, refused := range map[string]bool{
		"-run X -o data .": true, "-o=data": true, ". -o data": true,
		"-c -o x.test .": false, "-o x.test -c .": false, "-o x.test -cpuprofile cpu.out .": false, ". -args -o data": false,
	} {
		c, err := ParseCommandLine("test", strings.Fields(line))
		if err == nil {
			err = c.CheckOutput()
		}
		if (err != nil) != refused || refused && !strings.Contains(err.Error(), "give -o before go's flags") {
			t.Errorf("%s: %v", line, err)
		}
	}
}

func TestParseCommandLine(t *testing.T) {
	tests := []struct {
		verb, line           string
		dir, packages, args  string
		flag, value          string // one flag that must be found
		buildFlags, onlyLoad string
	}{
		{verb: "build", line: "./...", packages: "./..."},
		{verb: "build", line: "-race -tags a,b -o out ./x ./y", packages: "./x ./y", flag: "o", value: "out", buildFlags: "-race -tags a,b", onlyLoad: "-race -tags a,b"},
		{verb: "build", line: "-race=false -v -- -x.go", packages: "-x.go", flag: "race", value: "false", buildFlags: "-race=false -v", onlyLoad: "-race=false"},
		{verb: "build", line: "-C sub -ldflags=-s -p 4 .", dir: "sub", packages: ".", flag: "p", value: "4", buildFlags: "-ldflags=-s -p 4"},
		{verb: "build", line: "--tags=x --trimpath", flag: "tags", value: "x", buildFlags: "--tags=x --trimpath", onlyLoad: "--tags=x"},
		{verb: "build", line: "-buildvcs -buildvcs=auto .", packages: ".", flag: "buildvcs", value: "auto", buildFlags: "-buildvcs -buildvcs=auto"},
		{verb: "run", line: ". -race", packages: ".", args: "-race"},
		{verb: "run", line: "-race a.go b.go c.txt d.go", packages: "a.go b.go", args: "c.txt d.go", flag: "race", value: "true", buildFlags: "-race", onlyLoad: "-race"},
		{verb: "run", line: "-exec time . -x", packages: ".", args: "-x", flag: "exec", value: "time"},
		{verb: "run", line: "-mod mod x.go -- y", packages: "x.go", args: "-- y", flag: "mod", value: "mod", buildFlags: "-mod mod", onlyLoad: "-mod mod"},
		{verb: "run", line: ""},
		{verb: "test", line: "-v ./a ./b -run X -count=1", packages: "./a ./b", flag: "run", value: "X", buildFlags: "-v"},
		{verb: "test", line: "./a -args ./b -v", packages: "./a", args: "-args ./b -v"},
		{verb: "test", line: "./a -- -v", packages: "./a", args: "-- -v"},
		{verb: "test", line: "-custom ./a", args: "-custom ./a"},
		{verb: "test", line: "./a -custom value -v", packages: "./a", args: "-custom value", flag: "v", value: "true", buildFlags: "-v"},
		{verb: "test", line: "./a -custom=value x -v", packages: "./a", args: "-custom=value x -v"},
		{verb: "test", line: "-test.run X -test.v . y", packages: ". y", flag: "run", value: "X", buildFlags: "-test.v"},
		{verb: "test", line: "./a -v ./b", packages: "./a", args: "./b", flag: "v", value: "true", buildFlags: "-v"},
		{verb: "test", line: "-cover -coverpkg ./... -coverprofile=c.out -o x.test -c .", packages: ".", flag: "coverprofile", value: "c.out", buildFlags: "-cover -coverpkg ./..."},
		{verb: "test", line: "-json -bench . -benchmem -vet=off -C d", flag: "bench", value: "."},
	}
	for _, tt := range tests {
		t.Run(tt.verb+" "+tt.line, func(t *testing.T) {
			words := strings.Fields(tt.line)
			c, err := ParseCommandLine(tt.verb, words)
			if strings.HasSuffix(tt.line, "-C d") {
				if err == nil {
					t.Fatal("-C was accepted behind other flags")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if c.Dir != tt.dir {
				t.Errorf("directory %q, want %q", c.Dir, tt.dir)
			}
			for _, list := range []struct {
				what string
				got  []string
				want string
			}{
				{"packages", c.Packages(), tt.packages},
				{"arguments", c.Args(), tt.args},
				{"build flags", c.BuildFlags(), tt.buildFlags},
				{"flags for loading", loadFlags(c.BuildFlags()), tt.onlyLoad},
			} {
				if got := strings.Join(list.got, " "); got != list.want {
					t.Errorf("%s %q, want %q", list.what, got, list.want)
				}
			}
			if got, ok := c.Flag(tt.flag); tt.flag != "" && (got != tt.value || !ok) {
				t.Errorf("flag %s is %q, %t; want %q", tt.flag, got, ok, tt.value)
			}
		})
	}
}

func TestParseCommandLineErrors(t *testing.T) {
	for line, want := range map[string]string{
		"build -fancy .":         "go build has no flag -fancy",
		"build -tags":            "flag -tags needs a value",
		"run -o x .":             "go run has no flag -o",
		"build -race -C x ./...": "-C must be the first",
		"test -run":              "flag -run needs a value",
	} {
		words := strings.Fields(line)
		if _, err := ParseCommandLine(words[0], words[1:]); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", line, err, want)
		}
	}
}

// The packages to run replace those on the command line, and everything else stays in place.
func TestWordsWithPackages(t *testing.T) {
	for line, want := range map[string]string{
		"-v ./... -run X":     "-v p q -run X",
		"-v":                  "-v p q",
		"-custom x":           "p q -custom x",
		"./a ./b -args ./c":   "p q -args ./c",
		"-run X ./a -foo -v":  "-run X p q -foo -v",
		"-run X -args -- ./a": "-run X p q -args -- ./a",
	} {
		c, err := ParseCommandLine("test", strings.Fields(line))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(c.Words([]string{"p", "q"}), " "); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

// An accepted command line is passed on unchanged.
func FuzzCommandLine(f *testing.F) {
	f.Add("test", "-v ./a -run X -args y")
	f.Add("run", "-race a.go b.go -- x")
	f.Add("build", "-tags=x --o y -- .")
	f.Fuzz(func(t *testing.T, verb, line string) {
		if verb != "run" && verb != "test" {
			verb = "build"
		}
		words := strings.Fields(line)
		c, err := ParseCommandLine(verb, words)
		if err != nil {
			return
		}
		got := c.Words(nil)
		if c.Dir != "" {
			return // it was removed
		}
		want := words
		if verb != "test" {
			// The -- before the packages is go's own.
			want = slices.Clone(words)
			if len(got)+1 == len(want) {
				i := slices.Index(want, "--")
				if i < 0 {
					t.Fatalf("%q became %q", words, got)
				}
				want = slices.Delete(want, i, i+1)
			}
		}
		if !slices.Equal(got, want) && len(got)+len(want) > 0 {
			t.Errorf("%q became %q", words, got)
		}
	})
}

func TestSplitQuoted(t *testing.T) {
	for in, want := range map[string]string{
		"":                          "",
		" -a  -b ":                  "-a|-b",
		`'-ldflags=-s -w' "-x='y'"`: "-ldflags=-s -w|-x='y'",
		`-a='b`:                     "-a='b",
	} {
		got, err := splitQuoted(in)
		if err != nil || strings.Join(got, "|") != want {
			t.Errorf("%q: %q, %v; want %q", in, got, err, want)
		}
	}
	if _, err := splitQuoted("'-a"); err == nil {
		t.Error("an open quote was accepted")
	}
}

// Flags of GOFLAGS apply unless the command line overrides them, and go does not get them twice.
func TestDefaults(t *testing.T) {
	c, err := ParseCommandLine("test", []string{"-tags=own", "."})
	if err != nil {
		t.Fatal(err)
	}
	if c, err = c.withDefaults("-tags=env -cover '-ldflags=-X a=b' -unknown"); err != nil {
		t.Fatal(err)
	}
	if v, _ := c.Flag("tags"); v != "own" {
		t.Errorf("-tags is %q", v)
	}
	if !c.covers() {
		t.Error("-cover of GOFLAGS was not seen")
	}
	if got := strings.Join(c.Words(nil), " "); got != "-tags=own ." {
		t.Errorf("words %q", got)
	}
	if got, want := c.defaultsWithout(map[string]bool{"cover": true}), "-tags=env '-ldflags=-X a=b'"; got != want {
		t.Errorf("GOFLAGS without -cover: %q, want %q", got, want)
	}
}

// Joined words are split into the same words, by markgen and by go.
func TestJoinQuoted(t *testing.T) {
	for _, words := range [][]string{{"a"}, {"a b", "", "it's", `say "x"`, "\ttab"}, {`C:\x y\go.exe`}} {
		joined, err := joinQuoted(words)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := splitQuoted(joined); err != nil || !slices.Equal(got, words) {
			t.Errorf("%q became %s, and that %q (%v)", words, joined, got, err)
		}
	}
	if joined, err := joinQuoted([]string{`it's "x"`}); err == nil {
		t.Errorf("a word with both quotes became %s", joined)
	}
}
