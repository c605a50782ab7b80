package main

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/profile/compare"
	"github.com/markgen/markgen/report"
	"github.com/markgen/markgen/rewrite"
)

// The run function of cmdCompletion is set in init: it uses the table of commands, which contains
// cmdCompletion.
var cmdCompletion = &cli.Command{
	Name:  "completion",
	Short: "completion of commands, flags and marker names in a shell",
	Long: `
usage: markgen completion bash|zsh|fish

Completion prints a script for a shell, which completes markgen's commands, their flags and values, and
names of markers where these are arguments: those of the module in the current directory, with -all. Anything
else is completed as a file name. The script asks the markgen that is on the command line, so it need
not be made anew for another version.

examples:
  source <(markgen completion bash)                                  in ~/.bashrc
  source <(markgen completion zsh)                                   in ~/.zshrc, behind compinit
  markgen completion fish >~/.config/fish/completions/markgen.fish`,
}

func init() { cmdCompletion.Run = runCompletion }

//go:embed completion.bash
var bashScript string

//go:embed completion.zsh
var zshScript string

//go:embed completion.fish
var fishScript string

func runCompletion(ctx context.Context, env *cli.Env, args []string) int {
	scripts := map[string]string{"bash": bashScript, "zsh": zshScript, "fish": fishScript}
	if len(args) > 2 && args[1] == "--" && scripts[args[0]] != "" {
		words, rest := args[2:], func(value string) string { return value }
		if args[0] == "bash" {
			words, rest = bashWords(args[2], args[len(args)-1])
		} else {
			words[len(words)-1] = unquote(words[len(words)-1])
		}
		for _, c := range complete(ctx, env, words) {
			fmt.Fprintf(env.Stdout, "%s\t%s\n", rest(c.value), c.about)
		}
		return cli.OK
	}
	fs := env.Flags()
	if code, done := env.Parse(fs, args); done {
		return code
	}
	if fs.NArg() != 1 || scripts[fs.Arg(0)] == "" {
		return env.Wrong("one of the shells bash, zsh and fish is expected")
	}
	fmt.Fprint(env.Stdout, scripts[fs.Arg(0)])
	return cli.OK
}

// A candidate is a possible completion of a word, with a description.
type candidate struct{ value, about string }

// complete returns the completions of the last of the words after the program's name. If there are
// none, the shell completes file names.
func complete(ctx context.Context, env *cli.Env, words []string) []candidate {
	word, before := words[len(words)-1], words[:len(words)-1]
	c := cmdMark
	if len(before) > 0 {
		if named := program.Lookup(before[0]); named != nil {
			c, before = named, before[1:]
		}
	}
	flags := helpFlags(c)
	operands := 0
	for len(before) > 0 {
		if !strings.HasPrefix(before[0], "-") || before[0] == "-" {
			operands++
			before = before[1:]
			continue
		}
		name := strings.TrimLeft(before[0], "-")
		i := slices.IndexFunc(flags, func(f helpFlag) bool { return f.name == name && f.value != "" })
		if i >= 0 && len(before) == 1 {
			return fitting(word, flagValues(ctx, env, c, name, word))
		}
		before = before[min(1+btoi(i >= 0), len(before)):]
	}
	var all []candidate
	switch {
	case operands > 0 && strings.Contains(c.Long, "[own flags]"):
		// The words are go's, or the program's.
	case strings.HasPrefix(word, "-"):
		for _, f := range flags {
			all = append(all, candidate{"-" + f.name, f.about})
		}
	case len(words) == 1 || c.Name == "help" && operands == 0:
		for _, c := range program.All() {
			all = append(all, candidate{c.Name, c.Short})
		}
	case c == cmdCtl && operands >= 2 && slices.Contains(words, "set"):
		return settings(ctx, env, word)
	default:
		for _, value := range usageWords(c, operands) {
			if value == "FROM" || value == "TO" {
				return markerNames(ctx, env, "", word, true)
			}
			all = append(all, candidate{value: value})
		}
	}
	return fitting(word, all)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// fitting returns the candidates that begin with word.
func fitting(word string, all []candidate) []candidate {
	return slices.DeleteFunc(all, func(c candidate) bool { return !strings.HasPrefix(c.value, word) })
}

// flagValues returns the possible values of a flag, if they are in a table.
func flagValues(ctx context.Context, env *cli.Env, c *cli.Command, name, word string) []candidate {
	var values []string
	switch {
	case name == "filter" || name == "marker":
		return markerNames(ctx, env, "", word, true)
	case name == "form":
		values = rewrite.Forms
	case name == "format" && c == cmdReport:
		values = report.Formats()
	case name == "metric" && c == cmdBisect:
		values = append(compare.Metrics(), "alloc")
	case name == "sort" && c != cmdTop:
		values = report.Sorts()
	}
	var all []candidate
	for _, value := range values {
		all = append(all, candidate{value: value})
	}
	return all
}

// settings returns completions for the settings of markgen ctl: which markers are on, and how often
// they are timed.
func settings(ctx context.Context, env *cli.Env, word string) []candidate {
	if key, name, ok := strings.Cut(word, "="); ok {
		i := strings.LastIndex(name, ";") + 1
		return markerNames(ctx, env, key+"="+name[:i], name[i:], false)
	}
	var all []candidate
	for _, m := range settingLine.FindAllStringSubmatch(cmdCtl.Long, -1) {
		all = append(all, candidate{m[1], m[2]})
	}
	return fitting(word, all)
}

// settingLine matches a line about a setting in the help of ctl: its key with the common prefix of
// its values, and its description.
var settingLine = regexp.MustCompile(`(?m)^ +([a-z]+=(?:1:)?)[A-Z]\S* +(\S.*)$`)

// markerNames returns the names of the module's live markers that begin with word, each preceded by
// prefix. Word may lack the path before the package or, if bare, the package: the shortest of these
// forms with a match is used. If the source cannot be read, there are no names.
func markerNames(ctx context.Context, env *cli.Env, prefix, word string, bare bool) []candidate {
	quiet := *env
	quiet.Stdout, quiet.Stderr = io.Discard, io.Discard
	markers, _, err := listMarkers(ctx, &quiet, loadOptions{Patterns: []string{"./..."}, All: true})
	if err != nil {
		return nil
	}
	var cuts [3][]candidate
	for _, m := range markers {
		if !m.Live {
			continue
		}
		// The part after the import path may contain slashes, as may a name given by a directive.
		path := m.Name[:strings.IndexAny(m.Name+" ", " (:#")]
		base := strings.LastIndex(path, "/") + 1
		inside := base + strings.Index(m.Name[base:], ".") + 1
		for i, at := range []int{inside, base, 0} {
			if strings.HasPrefix(m.Name[at:], word) && (bare || at != inside) {
				cuts[i] = append(cuts[i], candidate{prefix + m.Name[at:], m.Kind})
			}
		}
	}
	for _, names := range cuts {
		if len(names) > 0 {
			return names
		}
	}
	return nil
}

// A helpFlag is a flag as described in the help of a command.
type helpFlag struct {
	name  string
	value string // placeholder for its value; "" if it has none
	about string // first line of its description
}

var flagLine = regexp.MustCompile(`(?m)^  -([a-z][a-z0-9-]*)(?: (\S+))? +(\S.*)$`)

// helpFlags returns the flags of a command, from its help. The line of a flag begins with two
// spaces and a dash. The word after the name is the placeholder for the value, unless it begins
// with a lower-case letter: then the flag has no value, and the word begins the description.
func helpFlags(c *cli.Command) []helpFlag {
	var flags []helpFlag
	for _, m := range flagLine.FindAllStringSubmatch(c.Long, -1) {
		f := helpFlag{m[1], m[2], m[3]}
		if strings.HasPrefix(f.value, "-") || strings.ContainsAny(f.value[:min(1, len(f.value))], "abcdefghijklmnopqrstuvwxyz") {
			f.value, f.about = "", f.value+" "+f.about
		}
		flags = append(flags, f)
	}
	return flags
}

var (
	optional    = regexp.MustCompile(`\[[^][]*\]`)
	usageChoice = regexp.MustCompile(`^(FROM|TO|[a-z]+(\|[a-z]+)*)$`)
)

// usageWords returns the words at operand i in the usage lines of a command; FROM and TO are names
// of markers.
func usageWords(c *cli.Command, i int) []string {
	var words []string
	for line := range strings.Lines(strings.TrimSpace(c.Long)) {
		line, ok := strings.CutPrefix(strings.TrimSpace(strings.TrimPrefix(line, "usage:")), "markgen "+c.Name+" ")
		if !ok {
			break
		}
		for optional.MatchString(line) {
			line = optional.ReplaceAllString(line, "")
		}
		if fields := strings.Fields(line); i < len(fields) && usageChoice.MatchString(fields[i]) {
			words = append(words, strings.Split(fields[i], "|")...)
		}
	}
	return words
}
