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

	"github.com/markgen/markgen"
	"github.com/markgen/markgen/rewrite"
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

// coverConfig is a file with what cmd/cover tells the compiler of its counters, as
// far as the inliner is concerned: the start of their names
// (internal/coverage/covcmd, CoverFixupConfig). In the mode of a test's main package
// the compiler adds nothing to the program.
func (b *Build) coverConfig() (path string, err error) {
	text, err := json.Marshal(map[string]any{
		"MetaHash":           strings.Repeat("0", 32),
		"Strategy":           "normal",
		"CounterPrefix":      rewrite.FreePrefix,
		"CounterMode":        "testmain",
		"CounterGranularity": "perblock",
	})
	if err != nil {
		return "", err
	}
	return b.cache.text(text, ".json")
}

// keepInlining has the compiler know the markers in the packages of the tasks. list
// is the file that callTool wants: toolScript where there is a shell, else toolList.
// Either has the path of the compiler's configuration and the packages.
func (b *Build) keepInlining(tasks []*task) (list string, err error) {
	config, err := b.coverConfig()
	if err != nil {
		return "", err
	}
	paths := []string{markgen.VirtualRuntime}
	for _, t := range tasks {
		paths = append(paths, t.ImportPath)
		if t.tests {
			paths = append(paths, t.ImportPath+"_test")
		}
	}
	slices.Sort(paths)
	if _, err := os.Stat(shell); err == nil {
		return b.cache.text(toolScript(config, paths), shellScript)
	}
	return b.cache.text(toolList(config, paths), ".txt")
}

// toolList is what runTool reads.
func toolList(config string, packages []string) []byte {
	return []byte(config + "\n" + strings.Join(packages, "\n") + "\n")
}

// shellScript is how the names of scripts end.
const shellScript = ".sh"

// toolScript is runTool for a shell, which starts several times as fast: the go
// command calls tools thousands of times. Its arguments are the tool and the tool's
// arguments.
func toolScript(config string, packages []string) []byte {
	quoted := make([]string, len(packages))
	for i, p := range packages {
		quoted[i] = shellQuote(p)
	}
	return fmt.Appendf(nil, `tool=$1
shift
case $tool in
compile | */compile)
	before= path=
	for arg; do
		[ "$before" = -p ] && path=$arg
		before=$arg
	done
	case $path in
	%s)
		grep -qsF %s -- "$@" && set -- %s "$@"
		;;
	esac
	;;
esac
exec "$tool" "$@"
`, strings.Join(quoted, " |\\\n\t"), rewrite.FreePrefix, shellQuote("-coveragecfg="+config))
}

// shellQuote is a word as a shell reads it.
func shellQuote(word string) string {
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// callTool adds the flag by which go calls the compiler through what keepInlining
// wrote, and through what the user's own -toolexec says.
func (b *Build) callTool(list string) error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	words := []string{exe, toolExec, list}
	if filepath.Ext(list) == shellScript {
		words = []string{shell, list}
	}
	value, err := joinQuoted(words)
	if err != nil {
		return err
	}
	own, _ := b.plain.Flag("toolexec")
	b.command = b.command.Without("toolexec")
	b.flags = append(b.flags, "-toolexec="+strings.TrimSpace(value+" "+own))
	return nil
}

// runTool runs a tool of the go command: the words after toolExec are a toolList, the
// tool, and its arguments. It returns the exit code, or
// where the system lets it does not return.
func runTool(args []string) int {
	if len(args) < 2 {
		fmt.Fprintln(os.Stderr, "markgen: toolexec is for the go command to call")
		return 2
	}
	list, tool, args := args[0], args[1], args[2:]
	if name := filepath.Base(tool); name == "compile" || name == "compile.exe" {
		if i := slices.Index(args, "-p"); i >= 0 && i+1 < len(args) {
			if config := listed(list, args[i+1]); config != "" && planted(args) {
				args = append([]string{"-coveragecfg=" + config}, args...)
			}
		}
	}
	code, err := become(tool, args)
	if err != nil {
		fmt.Fprintf(os.Stderr, "markgen: %v\n", err)
	}
	return code
}

// planted says whether the sources among the compiler's arguments have markers: the
// compiler wants no configuration for others.
func planted(args []string) bool {
	for _, name := range args {
		if filepath.Ext(name) != ".go" {
			continue
		}
		if text, err := os.ReadFile(name); err == nil && bytes.Contains(text, []byte(rewrite.FreePrefix)) {
			return true
		}
	}
	return false
}

// listed returns the configuration in a list if the package is on it.
func listed(list, path string) (config string) {
	text, err := os.ReadFile(list)
	if err != nil {
		return "" // compiled all the same, only not inlined as much
	}
	config, paths, _ := strings.Cut(string(text), "\n")
	if !strings.Contains("\n"+paths, "\n"+path+"\n") {
		return ""
	}
	return config
}
