package main

import (
	"bytes"
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/markgen/markgen/internal/cli"
)

// helpFlags finds the flags that a command has, and which of them have a value.
func TestHelpFlags(t *testing.T) {
	explained := map[string]bool{}
	for _, c := range program.All() {
		for _, f := range helpFlags(c) {
			explained[f.name] = true
			args := []string{c.Name, "-" + f.name, "-h"}
			if f.value != "" {
				args = []string{c.Name, "-" + f.name + "=1", "-h"}
			}
			var stdout, stderr bytes.Buffer
			Main(&cli.Env{Args: args, Stdout: &stdout, Stderr: &stderr, Dir: t.TempDir(), Environ: os.Environ()})
			if stdout.String() != strings.TrimSpace(c.Long)+"\n" && !strings.Contains(stderr.String(), `invalid value "1" for flag -`+f.name+":") {
				t.Errorf("markgen %s: %s%s", strings.Join(args, " "), stdout.String(), stderr.String())
			}
		}
	}

	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	defined := 0
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			method, ok := call.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if set, ok := method.X.(*ast.Ident); !ok || set.Name != "fs" || method.Sel.Name == "Lookup" {
				return true
			}
			for _, arg := range call.Args[:min(2, len(call.Args))] {
				lit, ok := arg.(*ast.BasicLit)
				if !ok || lit.Kind != token.STRING {
					continue
				}
				flag, err := strconv.Unquote(lit.Value)
				if err != nil {
					t.Fatal(err)
				}
				if defined++; flag != "" && !explained[flag] {
					t.Errorf("%s defines -%s, which no command's help explains", name, flag)
				}
				break
			}
			return true
		})
	}
	if defined < 50 {
		t.Errorf("%d flags are defined", defined)
	}
}

func TestComplete(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":   "module example.com/shop\n\ngo 1.26\n",
		"shop.go":  "package main\n\ntype cart struct{}\n\nfunc (c *cart) add() {}\n\nfunc parse() {\n\tfor range 3 {\n\t}\n}\n\nfunc main() { parse(); new(cart).add() }\n",
		"x/pay.go": "package x\n\n//perf:mark the card\nfunc Pay() {}\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct{ words, want string }{ // separated by |
		{"me", "merge"},
		{"help|me", "merge"},
		{"./", ""},
		{"-st", "-strip"},
		{"mark|-st", "-strip"},
		{"top|-in", "-interval"},
		{"run|-old", "-old"},
		{"run|-o|-al", ""}, // the name of a file
		{"run|-all|-ex", "-exact"},
		{"run|.|-ex", ""}, // the program's
		{"build|-form|tw", "twin"},
		{"report|-format|pr", "prom"},
		{"report|-sort|wa", "waiting"},
		{"top|-sort|", ""},
		{"token|re", "revoke"},
		{"ctl|1|s", "set|start|status|stop"},
		{"ctl|1|stop|", ""},
		{"ctl|1|set|o", "off=|on=|only="},
		{"ctl|1|set|only=shop.pa", "only=shop.parse|only=shop.parse:for#1"},
		{"ctl|1|set|only=shop.parse;x.the", "only=shop.parse;x.the card"},
		{"completion|z", "zsh"},
		{"between|pa", "parse|parse:for#1"},
		{"between|shop.pa", "shop.parse|shop.parse:for#1"},
		{"between|example.com/shop.pa", "example.com/shop.parse|example.com/shop.parse:for#1"},
		{"between|parse|(*c", "(*cart).add"},
		{"between|-json|parse|the", "the card"},
		{"between|parse|main|", ""},
		{"between|nothing", ""},
		{"report|-filter|(", "(*cart).add"},
	}
	for _, test := range tests {
		var got []string
		for _, c := range complete(context.Background(), (&cli.Env{Dir: dir, Environ: append(os.Environ(), "GOWORK=off")}).Running(program, cmdCompletion), strings.Split(test.words, "|")) {
			got = append(got, c.value)
		}
		slices.Sort(got)
		if strings.Join(got, "|") != test.want {
			t.Errorf("%s: %q, want %s", test.words, got, test.want)
		}
	}
}

// Bash replaces the part of the word after the last character at which it breaks words; it must be
// quoted like the word.
func TestBashWords(t *testing.T) {
	tests := []struct{ line, current, words, value, want string }{
		{`markgen bet`, `bet`, `bet`, `between`, `between`},
		{`markgen between `, ``, `between|`, `(*cart).add`, `\(\*cart\).add`},
		{`markgen  between '(*c`, `'(*c`, `between|(*c`, `(*cart).add`, `(*cart).add`},
		{`markgen between \(\*c`, `\(\*c`, `between|(*c`, `(*cart).add`, `\(\*cart\).add`},
		{`markgen between parse:f`, `f`, `between|parse:f`, `parse:for#1`, `for\#1`},
		{`markgen between parse:`, `:`, `between|parse:`, `parse:for#1`, `for\#1`},
		{`markgen ctl 1 set only=`, `=`, `ctl|1|set|only=`, `only=shop.parse`, `shop.parse`},
		{`markgen ctl 1 set "only=sh`, `"only=sh`, `ctl|1|set|only=sh`, `only=shop.parse`, `only=shop.parse`},
		{`markgen between "the card" pa`, `pa`, `between|the card|pa`, `parse`, `parse`},
	}
	for _, test := range tests {
		words, rest := bashWords(test.line, test.current)
		if got := strings.Join(words, "|"); got != test.words || rest(test.value) != test.want {
			t.Errorf("%s: words %s, want %s; %s becomes %s, want %s", test.line, got, test.words, test.value, rest(test.value), test.want)
		}
	}
}
