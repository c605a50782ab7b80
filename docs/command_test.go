package docs_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/markgen/markgen/golden"
	"github.com/markgen/markgen/tier"
)

// TestCommandPage compares docs/reference/command.md with what the help texts say; -update writes it.
func TestCommandPage(t *testing.T) {
	tier.Test(t)
	env := environ(t)
	var b strings.Builder
	b.WriteString(`# The commands

This page is made from the help texts. It has each command's usage and flags, with a few words on each; ` + "`markgen help COMMAND`" + ` and
` + "`markgend help COMMAND`" + ` have the rest, with examples.

Exit codes are 0, 1 for a finding or a failure, and 2 for wrong usage. ` + "`run`, `test`, `exec` and `isolate`" + ` pass on the exit code of
what they run, 128+n if signal n ended it. Own flags come before go's, packages and arguments.
`)
	flags := &explanations{first: map[string]string{}, all: map[string][]string{}}
	for _, program := range []string{"markgen", "markgend"} {
		for line := range strings.Lines(string(outputOf(t, env, program, "help"))) {
			words := strings.Fields(line)
			if !strings.HasPrefix(line, "  ") || strings.HasPrefix(line, "   ") || len(words) < 3 || words[0] == "help" {
				continue
			}
			fmt.Fprintf(&b, "\n## %s %s\n\n%s.\n\n", program, words[0], cell(strings.Join(words[1:], " ")))
			flags.section(&b, program+" "+words[0], string(outputOf(t, env, program, "help", words[0])))
		}
	}
	const name = "reference/command.md"
	if golden.Updating() {
		if err := os.WriteFile(name, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.SplitAfter(string(text), "\n"), strings.SplitAfter(b.String(), "\n")); diff != "" {
		t.Errorf("%s is not what the help texts say; run the test with -update (-want +got):\n%s", name, diff)
	}
}

// explanation finds a line of a help text that begins to explain a flag.
var explanation = regexp.MustCompile(`^  (-\S.*?)  +(\S.*)$`)

// explanations records the flags of the commands so far: first has, for each text that explains a
// flag, the command that had it first; all has the flags of each command, and order the commands,
// the latest first.
type explanations struct {
	first map[string]string
	all   map[string][]string
	order []string
}

// section writes the usage and the table of flags of a command. Flags that were explained for an
// earlier command, in the same words, are only named.
func (e *explanations) section(b *strings.Builder, command, help string) {
	usage, rest, _ := strings.Cut(help, "\n\n")
	for line := range strings.Lines(usage) {
		fmt.Fprintf(b, "`%s`  \n", strings.TrimSpace(strings.TrimPrefix(line, "usage:")))
	}
	flag, text, head := "", "", "\nflag|meaning\n---|---\n"
	var same []string // flags that were explained before
	end := func() {
		if flag != "" {
			text := "`" + strings.ReplaceAll(flag, "|", `\|`) + "`|" + cell(firstClause(text))
			if e.first[text] == "" {
				e.first[text] = command
				fmt.Fprintf(b, "%s%s\n", head, text)
				head = ""
			} else {
				same = append(same, flag)
			}
			e.all[command] = append(e.all[command], flag)
		}
		flag = ""
	}
	for line := range strings.Lines(rest) {
		line = strings.TrimSuffix(line, "\n")
		if m := explanation.FindStringSubmatch(line); m != nil {
			end()
			flag, text = m[1], m[2]
		} else if strings.HasPrefix(line, "     ") {
			text += " " + strings.TrimSpace(line)
		} else {
			end()
		}
	}
	end()
	var as []string
	for _, c := range e.order {
		if flags := e.all[c]; len(flags) > 1 && !slices.ContainsFunc(flags, func(f string) bool { return !slices.Contains(same, f) }) {
			as = append(as, "those of "+c)
			same = slices.DeleteFunc(same, func(f string) bool { return slices.Contains(flags, f) })
		}
	}
	for _, f := range same {
		as = append(as, "`"+f+"`")
	}
	if len(as) > 0 {
		fmt.Fprintf(b, "\nFlags explained above: %s.\n", strings.Join(as, ", "))
	}
	e.order = slices.Insert(e.order, 0, command)
}

// firstClause is text up to the end of a clause that is not in parentheses, of at least four words.
func firstClause(text string) string {
	depth := 0
	for i, c := range text {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case depth == 0 && i+1 < len(text) && text[i+1] == ' ' && strings.ContainsRune(";.:", c) && len(strings.Fields(text[:i])) > 3:
			return text[:i]
		}
	}
	return text
}

// cell is text as it stands in a table of markdown.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "*", `\*`, "<", "&lt;", "_", `\_`).Replace(text)
}
