package overlay

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// boolFlags are the flags of go build, run and test that take no value of
// their own ("-race", "-race=false"). Source: cmd/go/internal/work/build.go,
// cmd/go/internal/test/testflag.go.
var boolFlags = set("a asan buildvcs json linkshared modcacherw msan n race trimpath v work x cover")

// valueFlags are those of go build, run and test that take one ("-tags x", "-tags=x").
var valueFlags = set("C asmflags buildmode compiler covermode coverpkg debug-actiongraph debug-runtime-trace " +
	"debug-trace gccgoflags gcflags installsuffix ldflags mod modfile overlay p pgo pkgdir tags toolexec")

// testBoolFlags and testValueFlags are those of go test alone. All of them but
// c, exec, o and vet may also be written with "test." before the name.
var (
	testBoolFlags  = set("artifacts benchmem c failfast fullpath short")
	testValueFlags = set("bench benchtime blockprofile blockprofilerate count coverprofile cpu cpuprofile exec fuzz " +
		"fuzzminimizetime fuzztime list memprofile memprofilerate mutexprofile mutexprofilefraction o outputdir " +
		"parallel run shuffle skip timeout trace vet")
)

// loadingFlags are the build flags that can change which packages and files
// there are, and which go list, go vet and go build are therefore given alike.
var loadingFlags = set("asan buildmode compiler installsuffix linkshared mod modcacherw modfile msan overlay race tags")

// A word is one flag, with its value, or one other word of a go command line.
type word struct {
	kind  wordKind
	name  string   // of a flag, without dashes and without "test."
	value string   // of a flag; "true" for a boolean one without
	raw   []string // as typed: one or two words
}

type wordKind int

const (
	flagWord    wordKind = iota // a flag of the go command's
	packageWord                 // a package, a pattern or a .go file
	argWord                     // for the program or the test binary
)

// A CommandLine is what follows "go build", "go run" or "go test", taken
// apart: go's flags, the packages or files, the arguments of the program.
type CommandLine struct {
	Verb  string // build, run or test
	Dir   string // of -C, "" without; go runs there
	parts []word

	defaults []word // flags from GOFLAGS, see withDefaults
}

// AddFlags puts flags before the arguments of a go command, behind a -C, which has to be the first.
func AddFlags(args []string, flags ...string) []string {
	n := 0
	if len(args) > 0 {
		switch name, _, hasValue := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(args[0], "-"), "-"), "="); {
		case name != "C" || args[0] == name:
		case hasValue:
			n = 1
		default:
			n = min(2, len(args))
		}
	}
	return slices.Concat(args[:n], flags, args[n:])
}

// ParseCommandLine takes args apart as the go command would: for build all
// that follows the flags are packages; for run leading .go files or one package,
// the rest is the program's; for test flags may follow the packages, and
// whatever go test does not know belongs to the test binary.
func ParseCommandLine(verb string, args []string) (*CommandLine, error) {
	c := &CommandLine{Verb: verb}
	var err error
	if verb == "test" {
		err = c.parseTest(args)
	} else {
		err = c.parseBuild(args)
	}
	if err != nil {
		return nil, err
	}
	for i, t := range c.parts {
		if t.kind == flagWord && t.name == "C" {
			if i > 0 {
				return nil, fmt.Errorf("-C must be the first of go's flags; put it there")
			}
			c.Dir = t.value
			c.parts = c.parts[1:]
			break
		}
	}
	return c, nil
}

func (c *CommandLine) parseBuild(args []string) error {
	for len(args) > 0 {
		if args[0] == "--" {
			args = args[1:]
			break
		}
		t, rest, state, err := c.nextFlag(args)
		if err != nil {
			return err
		}
		if state == notFlag {
			break
		}
		if state == unknownFlag {
			return fmt.Errorf("go %s has no flag -%s; markgen's own flags come before go's, the program's arguments after the packages", c.Verb, t.name)
		}
		c.parts = append(c.parts, t)
		args = rest
	}
	n := len(args)
	if c.Verb == "run" {
		n = 0
		for n < len(args) && strings.HasSuffix(args[n], ".go") {
			n++
		}
		if n == 0 && len(args) > 0 && !strings.HasPrefix(args[0], "-") {
			n = 1
		}
	}
	c.add(packageWord, args[:n])
	c.add(argWord, args[n:])
	return nil
}

// parseTest follows the rules of testFlags in cmd/go/internal/test/testflag.go.
func (c *CommandLine) parseTest(args []string) error {
	sawPackages, inPackages, afterBareFlag := false, false, false
	for len(args) > 0 {
		bare := afterBareFlag
		afterBareFlag = false
		if args[0] == "--" {
			c.add(argWord, args)
			return nil
		}
		if args[0] == "-args" || args[0] == "--args" {
			c.add(argWord, args)
			return nil
		}
		t, rest, state, err := c.nextFlag(args)
		if err != nil {
			return err
		}
		switch state {
		case notFlag:
			switch {
			case inPackages || !sawPackages:
				inPackages, sawPackages = true, true
				c.add(packageWord, args[:1])
			case bare:
				c.add(argWord, args[:1])
			default:
				c.add(argWord, args)
				return nil
			}
		case unknownFlag:
			inPackages, sawPackages = false, true
			t.kind = argWord
			c.parts = append(c.parts, t)
			afterBareFlag = !strings.Contains(args[0], "=")
		case knownFlag:
			inPackages = false
			c.parts = append(c.parts, t)
		}
		args = rest
	}
	return nil
}

// CheckOutput refuses go test's -o where nothing asks for the test binary: the data are meant, which would be gone.
func (c *CommandLine) CheckOutput() error {
	if _, ok := c.Flag("o"); !ok {
		return nil
	}
	for _, wants := range []string{"c", "cpuprofile", "memprofile", "blockprofile", "mutexprofile"} {
		if _, ok := c.Flag(wants); ok {
			return nil
		}
	}
	return errors.New("-o among go's flags names the file for the test binary, which -c or a profile of go test's asks for; to keep the data in a file, give -o before go's flags")
}

type flagState int

const (
	notFlag flagState = iota
	knownFlag
	unknownFlag
)

// nextFlag reads the flag that args begins with, if there is one.
func (c *CommandLine) nextFlag(args []string) (t word, rest []string, state flagState, err error) {
	raw := args[0]
	arg := raw
	if strings.HasPrefix(arg, "--") {
		arg = arg[1:]
	}
	if len(arg) < 2 || arg[0] != '-' || arg[1] == '-' || arg[1] == '=' {
		return t, args[1:], notFlag, nil
	}
	name, value, hasValue := strings.Cut(arg[1:], "=")
	t = word{kind: flagWord, name: name, value: value, raw: args[:1]}
	isBool, isValue := boolFlags[name], valueFlags[name]
	switch c.Verb {
	case "build":
		isValue = isValue || name == "o"
	case "run":
		isValue = isValue || name == "exec"
	case "test":
		short := strings.TrimPrefix(name, "test.")
		if short == name || !set("c exec o vet")[short] {
			isBool = isBool || testBoolFlags[short] || short != name && short == "v"
			isValue = isValue || testValueFlags[short]
			if isBool || isValue {
				t.name = short
			}
		}
	}
	switch {
	case isBool:
		if !hasValue {
			t.value = "true"
		}
		return t, args[1:], knownFlag, nil
	case isValue && hasValue:
		return t, args[1:], knownFlag, nil
	case isValue:
		if len(args) < 2 {
			return t, nil, knownFlag, fmt.Errorf("flag -%s needs a value; write -%s=VALUE", name, name)
		}
		t.value, t.raw = args[1], args[:2]
		return t, args[2:], knownFlag, nil
	}
	return t, args[1:], unknownFlag, nil
}

func (c *CommandLine) add(kind wordKind, words []string) {
	for i := range words {
		c.parts = append(c.parts, word{kind: kind, raw: words[i : i+1]})
	}
}

// Flag returns the value of the last flag of that name among go's flags, those
// of GOFLAGS coming first.
func (c *CommandLine) Flag(name string) (value string, ok bool) {
	for _, parts := range [][]word{c.defaults, c.parts} {
		for _, t := range parts {
			if t.kind == flagWord && t.name == name {
				value, ok = t.value, true
			}
		}
	}
	return value, ok
}

// Bool reports whether the last flag of that name switches it on.
func (c *CommandLine) Bool(name string) bool {
	v, ok := c.Flag(name)
	return ok && isTrue(v)
}

// Without returns the command line without the flags of those names.
func (c *CommandLine) Without(names ...string) *CommandLine {
	drop := map[string]bool{}
	for _, n := range names {
		drop[n] = true
	}
	d := &CommandLine{Verb: c.Verb, Dir: c.Dir, defaults: c.defaults}
	for _, t := range c.parts {
		if t.kind != flagWord || !drop[t.name] {
			d.parts = append(d.parts, t)
		}
	}
	return d
}

// Packages returns the packages, patterns or files named.
func (c *CommandLine) Packages() []string { return c.raw(packageWord) }

// Args returns the arguments for the program or the test binary, with the
// -args before them where it was written.
func (c *CommandLine) Args() []string { return c.raw(argWord) }

// BuildFlags returns go's flags that go build and go list know, too.
func (c *CommandLine) BuildFlags() []string {
	var flags []string
	for _, t := range c.parts {
		if t.kind == flagWord && (boolFlags[t.name] || valueFlags[t.name]) {
			flags = append(flags, t.raw...)
		}
	}
	return flags
}

// Words returns the whole command line again, without -C, with packages in
// the place of those named if it is not nil.
func (c *CommandLine) Words(packages []string) []string {
	var words []string
	placed := packages == nil
	for _, t := range c.parts {
		switch {
		case t.kind != packageWord || packages == nil:
			if t.kind == argWord && !placed {
				words, placed = append(words, packages...), true
			}
			words = append(words, t.raw...)
		case !placed:
			words, placed = append(words, packages...), true
		}
	}
	if !placed {
		words = append(words, packages...)
	}
	return words
}

func (c *CommandLine) raw(kind wordKind) []string {
	var words []string
	for _, t := range c.parts {
		if t.kind == kind {
			words = append(words, t.raw...)
		}
	}
	return words
}

// loadFlags picks from a list of build flags those that go list needs.
func loadFlags(flags []string) []string {
	c := &CommandLine{Verb: "build"}
	var picked []string
	for len(flags) > 0 {
		t, rest, state, err := c.nextFlag(flags)
		if err != nil || state == notFlag {
			break
		}
		if loadingFlags[t.name] {
			picked = append(picked, t.raw...)
		}
		flags = rest
	}
	return picked
}

// isTrue reads a boolean flag's value as package flag does.
func isTrue(v string) bool {
	switch v {
	case "1", "t", "T", "true", "TRUE", "True":
		return true
	}
	return false
}

// absolute makes a file name of the command line absolute: it is relative to the
// directory that go runs in.
func absolute(dir, name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(dir, name)
}

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// withoutArgs returns the command line of another verb without the program's
// arguments.
func (c *CommandLine) withoutArgs(verb string) *CommandLine {
	d := &CommandLine{Verb: verb, Dir: c.Dir, defaults: c.defaults}
	for _, t := range c.parts {
		if t.kind != argWord {
			d.parts = append(d.parts, t)
		}
	}
	return d
}

// OnlyBuilds reports whether go test with those arguments builds the test
// binary and does not run it.
func OnlyBuilds(args []string) bool {
	c, err := ParseCommandLine("test", args)
	return err == nil && c.Bool("c")
}
