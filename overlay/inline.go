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

// toolExec is the first argument by which the go command, told to by -toolexec,
// calls the program that prepared the build (see runTool).
const toolExec = "toolexec"

// Called does what the go command calls the program that prepared a build for,
// if that is what it was called for; args are its arguments. Every program that
// prepares builds begins with it, and ends with the exit code if ok is true.
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

// Inlinable says whether markers can be planted so that the compiler goes on
// inlining what they stand in, in a build with that environment: where a goroutine
// can be told by its g, since nothing is deferred there.
func Inlinable(environ []string) bool { return inlinable(getenv(environ, "GOARCH")) }

func inlinable(arch string) bool {
	return arch == "amd64" || arch == "arm64" || arch == "" && inlinable(runtime.GOARCH)
}

// keepsInlining says whether markers in the build are kept from mattering to the inliner.
func (b *Build) keepsInlining(tasks []*task) bool {
	return inlinable(b.env.GOARCH) && len(tasks) > 0
}

// hooks says whether markers in main packages can be kept from mattering to the inliner, too: the runtime
// brings the function that their initialisers then call. A program that imports go's own coverage has it already.
func (b *Build) hooks() bool {
	return inlinable(b.env.GOARCH) && !slices.ContainsFunc(b.packages, func(p *Package) bool { return p.ImportPath == "runtime/coverage" })
}

// told is what the compiler is told of the markers that go knows nothing of. It is nil
// for nothing, as where a -toolexec of the user's comes first.
func (b *Build) told(tasks []*task) []byte {
	if own, _ := b.plain.Flag("toolexec"); own != "" || len(tasks) == 0 {
		return nil
	}
	told := []byte("source that is embedded is as it was")
	if b.keepsInlining(tasks) {
		told = fmt.Appendf(told, ", %s", coverConfig())
	}
	return told
}

// coverConfig is what cmd/cover tells the compiler of its counters, as far as the
// inliner is concerned: the start of their names (internal/coverage/covcmd,
// CoverFixupConfig). In the mode of a test's main package the compiler adds nothing to
// the program but, to main packages, the call that hook is for.
func coverConfig() []byte {
	text, err := json.Marshal(map[string]any{
		"MetaHash":           strings.Repeat("0", 32),
		"Strategy":           "normal",
		"CounterPrefix":      rewrite.FreePrefix,
		"CounterMode":        "testmain",
		"CounterGranularity": "perblock",
	})
	if err != nil {
		panic(err) // there is nothing in it that JSON does not have
	}
	return text
}

// compiling is what the compiler is told besides what go tells it.
type compiling struct {
	heap     string   // a flag that it gets for every package, see heapFlag, or ""
	config   string   // path of coverConfig; "": nothing is kept inlined
	archives string   // the directory of archives; "": none are kept
	origins  *origins // of copied modules
	goroot   string   // what the linker takes for GOROOT, which traces name; "": the one that builds
	packages []string // those that get the configuration, and whose archives are kept
}

// compiling writes what the compiler is told in a build with those tasks: of the markers in
// their packages, where they are to be inlined. list is the file that callTool wants:
// toolScript where there is a shell, else toolList.
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
			c.packages = append(c.packages, "main") // what it is compiled as but in its tests
		}
		c.packages = append(c.packages, t.ImportPath)
		if t.tests {
			c.packages = append(c.packages, t.ImportPath+"_test")
		}
	}
	for _, p := range b.packages {
		if isMain(p) { // one that is not marked, as with -markpkg
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

// toolList is what runTool reads, alone or at the end of a toolScript.
func (c *compiling) toolList() []byte {
	return []byte(c.heap + "\n" + c.config + "\n" + c.archives + "\n" + c.origins.words() + "\n" + c.goroot + "\n" + strings.Join(c.packages, "\n") + "\n")
}

// readToolList reads what toolList wrote. Without it everything is compiled all the
// same, only not inlined as much.
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

// shellScript is how the names of scripts end.
const shellScript = ".sh"

// scriptEnd is where a shell ends to read a toolScript.
const scriptEnd = "exec \"$tool\" \"$@\"\n"

// toolScript is runTool for a shell, which starts several times as fast: the go
// command calls tools thousands of times. It leaves the compilers of the packages on the
// list to runTool, and those that embed files. Its arguments are this program, and those
// of runTool after the list, which it ends with.
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
	if c.goroot != "" { // with -trimpath go gives the linker an empty GOROOT, which stays empty
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

// shellQuote is a word as a shell reads it.
func shellQuote(word string) string {
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// callTool adds the flag by which go calls the compiler through what compiling
// wrote, and through what the user's own -toolexec says.
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

// runTool runs a tool of the go command: the words after toolExec are a toolList, the
// overlay of the build, that of the user or "", the tool, and its arguments. It returns the exit code, or
// where the system lets it does not return.
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

// run runs a tool with what the build adds to its arguments.
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

// compile runs a compiler with what the build adds to its arguments.
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

// planted says whether the sources among the compiler's arguments have markers: the
// compiler wants no configuration for others.
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
