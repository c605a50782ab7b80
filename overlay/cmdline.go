package overlay

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// boolFlags are the boolean flags of go build, run and test ("-race", "-race=false"). Source:
// cmd/go/internal/work/build.go, cmd/go/internal/test/testflag.go.
var boolFlags = set("a asan buildvcs json linkshared modcacherw msan n race trimpath v work x cover")

// valueFlags are the flags of go build, run and test that have a value ("-tags x", "-tags=x").
var valueFlags = set("C asmflags buildmode compiler covermode coverpkg debug-actiongraph debug-runtime-trace " +
	"debug-trace gccgoflags gcflags installsuffix ldflags mod modfile overlay p pgo pkgdir tags toolexec")

// testBoolFlags and testValueFlags are the flags of go test only. All except c, exec, o and vet may
// also have the prefix "test.".
var (
	testBoolFlags  = set("artifacts benchmem c failfast fullpath short")
	testValueFlags = set("bench benchtime blockprofile blockprofilerate count coverprofile cpu cpuprofile exec fuzz " +
		"fuzzminimizetime fuzztime list memprofile memprofilerate mutexprofile mutexprofilefraction o outputdir " +
		"parallel run shuffle skip timeout trace vet")
)

// loadingFlags are the build flags that can change the set of packages and files; go list, go vet
// and go build all get them.
var loadingFlags = set("asan buildmode compiler installsuffix linkshared mod modcacherw modfile msan overlay race tags")

// A word is one flag, with its value, or one argument of a go command line.
type word struct {
	kind  wordKind
	name  string   // of a flag, without dashes and "test."
	value string   // of a flag; "true" for a boolean flag without value
	raw   []string // as typed: one or two words
}

type wordKind int

const (
	flagWord    wordKind = iota // a flag of the go command
	packageWord                 // a package, a pattern or a .go file
	argWord                     // an argument of the program or the test binary
)

// A CommandLine is the parsed command line after "go build", "go run" or "go test": go's flags, the
// packages or files, and the arguments of the program.
type CommandLine struct {
	Verb  string // build, run or test
	Dir   string // value of -C, the directory go runs in, or ""
	parts []word

	defaults []word // flags from GOFLAGS, see withDefaults
}

// AddFlags inserts flags into the arguments of a go command, after -C, which must be first.
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

// ParseCommandLine parses args as the go command does. For build, everything after the flags is
// packages; for run, leading .go files or one package, and the rest are the program's arguments;
// for test, flags may follow the packages, and unknown flags belong to the test binary.
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

// CheckOutput rejects -o of go test where no flag asks for a test binary: the user probably meant
// markgen's -o, and the data would be lost.
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

// IsGoFlag reports whether go build, run or test has a flag, which begins with a dash.
func IsGoFlag(flag string) bool {
	name := strings.TrimPrefix(strings.TrimLeft(flag, "-"), "test.")
	return boolFlags[name] || valueFlags[name] || testBoolFlags[name] || testValueFlags[name]
}

// nextFlag parses the flag at the start of args, if there is one.
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

// Flag returns the value of the last flag of go with that name; those in GOFLAGS come first.
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

// Without returns the command line without the named flags.
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

// Packages returns the packages, patterns or files on the command line.
func (c *CommandLine) Packages() []string { return c.raw(packageWord) }

// Args returns the arguments of the program or the test binary, including -args if it was written.
func (c *CommandLine) Args() []string { return c.raw(argWord) }

// BuildFlags returns the flags that go build and go list have, too.
func (c *CommandLine) BuildFlags() []string {
	var flags []string
	for _, t := range c.parts {
		if t.kind == flagWord && (boolFlags[t.name] || valueFlags[t.name]) {
			flags = append(flags, t.raw...)
		}
	}
	return flags
}

// Words returns the command line's arguments, without -C, with its packages replaced if packages is
// not nil.
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

// loadFlags returns those of the given build flags that go list needs.
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

// isTrue parses the value of a boolean flag as package flag does.
func isTrue(v string) bool {
	switch v {
	case "1", "t", "T", "true", "TRUE", "True":
		return true
	}
	return false
}

// absolute makes a file name on the command line absolute: it is relative to dir, in which go runs.
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

// withoutArgs returns the command line for another verb, without the program's arguments.
func (c *CommandLine) withoutArgs(verb string) *CommandLine {
	d := &CommandLine{Verb: verb, Dir: c.Dir, defaults: c.defaults}
	for _, t := range c.parts {
		if t.kind != argWord {
			d.parts = append(d.parts, t)
		}
	}
	return d
}

// OnlyBuilds reports whether go test with these arguments only builds the test binary.
func OnlyBuilds(args []string) bool {
	c, err := ParseCommandLine("test", args)
	return err == nil && c.Bool("c")
}
