package overlay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/markgen/markgen/fileread"
	"github.com/markgen/markgen/rewrite"
	rt "github.com/markgen/markgen/runtime"
)

// toolExec is the first argument with which the go command, through -toolexec, calls the program
// that prepared the build (see runTool).
const toolExec = "toolexec"

// Called handles the calls that the go command makes to the program that prepared a build; args are
// the program's arguments. Every program that prepares builds must first call it, and exit with
// code if ok is true.
func Called(args []string) (code int, ok bool) {
	switch {
	case len(args) == 0:
	case args[0] == toolExec:
		return runTool(args[1:]), true
	case args[0] == testExec:
		return runTest(args[1:]), true
	case args[0] == testKeep:
		if err := keepTest(args[1:]); err != nil {
			fmt.Fprintf(os.Stderr, "markgen: %v\n", err)
			return 2, true
		}
		return 0, true
	}
	return 0, false
}

// Inlinable reports whether, in a build with that environment, markers can be planted without
// preventing inlining. They can where the runtime identifies the goroutine by its g, since such
// markers need no defer.
func Inlinable(environ []string) bool { return inlinable(getenv(environ, "GOARCH")) }

func inlinable(arch string) bool {
	return arch == "amd64" || arch == "arm64" || arch == "" && inlinable(runtime.GOARCH)
}

// keepsInlining reports whether the compiler is told to ignore the build's markers in inlining
// decisions.
func (b *Build) keepsInlining(tasks []*task) bool {
	return inlinable(b.env.GOARCH) && len(tasks) > 0
}

// hooks reports whether that is possible for main packages, too: their initialisers then call a
// function that the runtime has to provide. A program that imports runtime/coverage has that
// function already.
func (b *Build) hooks() bool {
	return inlinable(b.env.GOARCH) && !slices.ContainsFunc(b.packages, func(p *Package) bool { return p.ImportPath == "runtime/coverage" })
}

// compilerConfig describes what the compiler gets besides go's arguments (see compiling). It is nil
// if that is nothing, as when the user's own -toolexec takes precedence.
func (b *Build) compilerConfig(tasks []*task) []byte {
	if own, _ := b.plain.Flag("toolexec"); own != "" || len(tasks) == 0 {
		return nil
	}
	text := []byte("source that is embedded is as it was")
	if b.keepsInlining(tasks) {
		text = fmt.Appendf(text, ", %s", coverConfig())
	}
	return text
}

// coverConfig returns the part of cmd/cover's configuration for the compiler that matters to the
// inliner: the name prefix of counters (internal/coverage/covcmd, CoverFixupConfig). In the mode of
// a test's main package the compiler adds nothing to the program, except for the call in main
// packages that hook provides for.
func coverConfig() []byte {
	text, err := json.Marshal(map[string]any{
		"MetaHash":           strings.Repeat("0", 32),
		"Strategy":           "normal",
		"CounterPrefix":      rewrite.FreePrefix,
		"CounterMode":        "testmain",
		"CounterGranularity": "perblock",
	})
	if err != nil {
		panic(err) // cannot fail for strings
	}
	return text
}

// compiling is the information for tools beyond their arguments from go.
type compiling struct {
	heap     string   // flag for the compiler in every package, see heapFlag, or ""
	config   string   // path of coverConfig; "" if inlining is not preserved
	archives string   // directory of archives; "" if none are kept
	origins  *origins // of copied modules
	goroot   string   // GOROOT for the linker, which stack traces show; "" for the one that builds
	packages []string // packages that get config, and whose archives are kept
}

// compiling writes the information for tools in a build with those tasks. list is the file for
// callTool: a toolScript where there is a shell, else a toolList.
func (b *Build) compiling(tasks []*task) (list string, err error) {
	c := compiling{heap: b.heapFlag(), origins: b.origins, goroot: b.env.Download}
	if b.keepsInlining(tasks) {
		if c.config, err = b.cache.text(coverConfig(), ".json"); err != nil {
			return "", err
		}
	}
	if !b.plain.Bool("a") {
		c.archives = b.cache.archives()
	}
	c.packages = []string{rt.VirtualPerf}
	for _, t := range tasks {
		if t.Name == "main" && b.hooks() {
			c.packages = append(c.packages, "main") // import path of main packages for the compiler, except in tests
		}
		c.packages = append(c.packages, t.ImportPath)
		if t.tests {
			c.packages = append(c.packages, t.ImportPath+"_test")
		}
	}
	for _, p := range b.packages {
		if isMain(p) { // may be unmarked, as with -markpkg
			c.packages = append(c.packages, p.ImportPath)
		}
	}
	slices.Sort(c.packages)
	c.packages = slices.Compact(c.packages)
	if _, err := os.Stat(shell); err == nil {
		return b.cache.text(c.toolScript(), shellScript)
	}
	return b.cache.text(c.toolList(), ".txt")
}

// toolList returns the text that runTool reads, by itself or at the end of a toolScript.
func (c *compiling) toolList() []byte {
	return []byte(c.heap + "\n" + c.config + "\n" + c.archives + "\n" + c.origins.words() + "\n" + c.goroot + "\n" + strings.Join(c.packages, "\n") + "\n")
}

// readToolList reads the text of toolList. If it cannot be read, everything still compiles, only
// with less inlining.
func readToolList(name string) *compiling {
	c := &compiling{}
	if text, err := fileread.File(name); err == nil {
		list := string(text)
		if i := strings.LastIndex(list, scriptEnd); i >= 0 {
			list = list[i+len(scriptEnd):]
		}
		lines := strings.Split(strings.TrimSuffix(list, "\n"), "\n")
		if len(lines) >= 5 {
			c.heap, c.config, c.archives, c.origins, c.goroot, c.packages = lines[0], lines[1], lines[2], readOrigins(lines[3]), lines[4], lines[5:]
		}
	}
	return c
}

// shellScript is the suffix of script names.
const shellScript = ".sh"

// scriptEnd is the last line of a toolScript that a shell executes.
const scriptEnd = "exec \"$tool\" \"$@\"\n"

// toolScript returns runTool as a shell script, which starts several times faster: the go command
// runs tools thousands of times. It leaves the compilation of the listed packages, and of packages
// that embed files, to runTool. Its arguments are this program, and the arguments of runTool after
// the list; the script itself ends with the list.
func (c *compiling) toolScript() []byte {
	quoted := make([]string, len(c.packages))
	for i, p := range c.packages {
		quoted[i] = shellQuote(p)
	}
	heap := ""
	if c.heap != "" {
		heap = fmt.Sprintf("\n\t[ -n \"$path\" ] && [ -z \"$GOGC$GOMEMLIMIT\" ] && set -- %s \"$@\"", shellQuote(c.heap))
	}
	goroot := ""
	if c.goroot != "" { // with -trimpath go gives the linker an empty GOROOT, which must stay empty
		goroot = "case $tool in link | */link) [ -n \"$GOROOT\" ] && export GOROOT=" + shellQuote(c.goroot) + " ;; esac\n"
	}
	return fmt.Appendf(nil, `self=$1 overlay=$2 user=$3 tool=$4
shift 4
[ "$GOGC" = %s ] && unset GOGC
%s%scase $tool in
compile | */compile)
	before= path= call=
	for arg; do
		case $before in
		-p) path=$arg ;;
		-embedcfg) call=yes ;;
		esac
		before=$arg
	done
	case $path in
	%s)
		call=yes
		;;
	esac
	[ -n "$call" ] && exec "$self" %s "$0" "$overlay" "$user" "$tool" "$@"%s
	;;
esac
%s%s`, goPercent, goroot, c.origins.script(), strings.Join(quoted, " |\\\n\t"), toolExec, heap, scriptEnd, c.toolList())
}

// shellQuote quotes a word for a shell.
func shellQuote(word string) string {
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// callTool adds the flag that makes go run its tools through the file that compiling wrote, and
// through the user's own -toolexec.
func (b *Build) callTool(list, overlay string) error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	words := []string{exe, toolExec, list}
	if filepath.Ext(list) == shellScript {
		words = []string{shell, list, exe}
	}
	user, _ := b.plain.Flag("overlay")
	if user != "" { // with absolute paths: compilers run in their packages' directories
		own, err := readReplacements(user, b.dir)
		if err != nil {
			return err
		}
		if user, err = b.cache.overlay(own.marshal()); err != nil {
			return err
		}
	}
	value, err := joinQuoted(append(words, overlay, user))
	if err != nil {
		return err
	}
	own, _ := b.plain.Flag("toolexec")
	b.command = b.command.Without("toolexec")
	b.flags = append(b.flags, "-toolexec="+strings.TrimSpace(value+" "+own))
	b.called = true
	return nil
}

// runTool runs a tool of the go command. The words after toolExec are a toolList, the overlay of
// the build, that of the user or "", the tool, and its arguments. It returns the exit code; if the
// system allows, it replaces the process and does not return.
func runTool(args []string) int {
	if len(args) < 4 {
		fmt.Fprintln(os.Stderr, "markgen: toolexec is for the go command to call")
		return 2
	}
	list, overlay, user, tool, args := args[0], args[1], args[2], args[3], args[4:]
	if os.Getenv("GOGC") == goPercent {
		_ = os.Unsetenv("GOGC")
	}
	code, err := readToolList(list).run(overlay, user, tool, args)
	if err != nil {
		fmt.Fprintf(os.Stderr, "markgen: %v\n", err)
		return max(code, 2)
	}
	return code
}

// run runs a tool with the arguments that the build adds.
func (c *compiling) run(overlay, user, tool string, args []string) (code int, err error) {
	name := strings.TrimSuffix(filepath.Base(tool), ".exe")
	if name == "link" && c.goroot != "" && os.Getenv("GOROOT") != "" {
		if err := os.Setenv("GOROOT", c.goroot); err != nil {
			return 2, err
		}
	}
	if o := c.origins; o != nil {
		if args = o.trimpath(args); name == "link" {
			if err := o.link(args); err != nil {
				return 2, err
			}
		}
	}
	if name != "compile" {
		return become(tool, args)
	}
	return c.compile(overlay, user, tool, args)
}

// compile runs a compiler with the arguments that the build adds.
func (c *compiling) compile(overlay, user, tool string, args []string) (code int, err error) {
	i := slices.Index(args, "-p") + 1
	if i == 0 || i == len(args) {
		return become(tool, args)
	}
	listed := slices.Contains(c.packages, args[i])
	if listed && c.config != "" && planted(args) {
		args = append([]string{"-coveragecfg=" + c.config}, args...)
	}
	if c.heap != "" && os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		args = append([]string{c.heap}, args...)
	}
	if args, err = embedPlain(args, overlay, user); err != nil {
		return 2, err
	}
	if listed && c.archives != "" {
		return compileAgain(c.archives, tool, args)
	}
	return become(tool, args)
}

// planted reports whether the source files among the compiler's arguments have markers: the
// compiler rejects the configuration for others.
func planted(args []string) bool {
	for _, name := range args {
		if filepath.Ext(name) != ".go" {
			continue
		}
		if text, err := fileread.File(name); err == nil && bytes.Contains(text, []byte(rewrite.FreePrefix)) {
			return true
		}
	}
	return false
}
