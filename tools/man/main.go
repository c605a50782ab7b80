// Command man writes the manual pages of markgen or markgend: markgen.1 with the list of commands,
// and markgen-COMMAND.1 with the output of markgen help COMMAND. It is a separate command so that
// markgen does not link the library that formats the pages.
//
//	go build -o bin/markgen ./cmd/markgen
//	GOWORK=off go run -C tools ./man -date 2026-01-31 -version v0.1.0 "$PWD/bin/markgen" "$PWD/bin/man"
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/cpuguy83/go-md2man/v2/md2man"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("man: ")
	date := flag.String("date", "", "date of the pages")
	version := flag.String("version", "", "version of markgen")
	flag.Parse()
	if flag.NArg() != 2 {
		log.Fatal("usage: man [-date D] [-version V] MARKGEN DIR; MARKGEN is the command, as an absolute file name")
	}
	program, dir := flag.Arg(0), flag.Arg(1)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		log.Fatal(err)
	}
	name := filepath.Base(program)
	write := func(page, short, text string) {
		head := fmt.Sprintf("%% %s 1 %q %q %q\n\n# NAME\n\n%s - %s\n\n", strings.ToUpper(page), *date, strings.TrimSpace(name+" "+*version), "User Commands", page, escape(short))
		if err := os.WriteFile(filepath.Join(dir, page+".1"), md2man.Render([]byte(head+text)), 0o666); err != nil {
			log.Fatal(err)
		}
	}
	list := help(program)
	var pages []string
	for _, m := range commandLine.FindAllStringSubmatch(list, -1) {
		write(name+"-"+m[1], m[2], markdown(help(program, m[1])))
		pages = append(pages, "**"+name+"-"+m[1]+"**(1)")
	}
	short, rest, _ := strings.Cut(list, "\n")
	short = strings.TrimSuffix(strings.TrimPrefix(strings.ToLower(short[:1])+short[1:], name+" "), ".")
	write(name, short, markdown(strings.TrimSpace(rest))+"# SEE ALSO\n\n"+strings.Join(pages, ", ")+"\n")
}

// commandLine matches the line of a command in the list of commands.
var commandLine = regexp.MustCompile(`(?m)^  ([a-z]+) +(\S.*)$`)

// help returns the output of program help args.
func help(program string, args ...string) string {
	out, err := exec.Command(program, append([]string{"help"}, args...)...).Output()
	if err != nil {
		log.Fatalf("%s help %s: %v", program, strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out))
}

// flagLine matches the first line of a flag in a list of flags: the flag with its value, and the
// explanation.
var flagLine = regexp.MustCompile(`^  (-[a-z][a-z0-9-]*(?: [^ ]+)?) +(\S.*)$`)

// markdown converts a help text to Markdown. The text has usage lines and blocks separated by empty
// lines: examples, lists of flags, indented text, and paragraphs.
func markdown(text string) string {
	var b strings.Builder
	for i, block := range strings.Split(text, "\n\n") {
		lines := strings.Split(strings.Trim(block, "\n"), "\n")
		if usage, ok := strings.CutPrefix(lines[0], "usage: "); ok {
			fmt.Fprintf(&b, "# SYNOPSIS\n\n")
			lines[0] = usage
			for j := range lines {
				lines[j] = "    " + strings.TrimSpace(lines[j])
			}
			fmt.Fprintf(&b, "%s\n\n# DESCRIPTION\n\n", strings.Join(lines, "\n"))
			continue
		}
		if lines[0] == "examples:" {
			fmt.Fprintf(&b, "# EXAMPLES\n\n")
			lines = lines[1:]
		}
		// A paragraph may be directly above indented text.
		n := 0
		for n < len(lines) && !strings.HasPrefix(lines[n], "  ") {
			n++
		}
		if n > 0 {
			fmt.Fprintf(&b, "%s\n\n", escape(strings.Join(lines[:n], " ")))
		}
		switch lines = lines[n:]; {
		case len(lines) == 0:
		case flagLine.MatchString(lines[0]):
			flags(&b, lines)
		default:
			// The comment separates successive code blocks.
			fmt.Fprintf(&b, "<!-- %d -->\n\n", i)
			for _, line := range lines {
				fmt.Fprintf(&b, "    %s\n", strings.TrimPrefix(line, "  "))
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// valueLine matches a line that explains one of a flag's values.
var valueLine = regexp.MustCompile(`^[a-z]+: `)

// flags writes a list of flags. A line that does not start a flag continues the explanation above
// it.
func flags(b *strings.Builder, lines []string) {
	for i := 0; i < len(lines); {
		m := flagLine.FindStringSubmatch(lines[i])
		term, about := m[1], []string{m[2]}
		for i++; i < len(lines) && !flagLine.MatchString(lines[i]); i++ {
			line := strings.TrimSpace(lines[i])
			if valueLine.MatchString(line) {
				about[len(about)-1] += "  \n" // a line break
			}
			about = append(about, line)
		}
		name, value, _ := strings.Cut(term, " ")
		if c := value + "A"; c[0] >= 'a' && c[0] <= 'z' {
			value, about[0] = "", value+" "+about[0] // not a value but the start of the explanation, after a single space
		}
		term = "**" + escape(name) + "**"
		if value != "" {
			term += " *" + escape(value) + "*"
		}
		fmt.Fprintf(b, "%s\n: %s\n\n", term, strings.ReplaceAll(escape(strings.Join(about, " ")), "\n ", "\n"))
	}
}

// escape escapes the characters of a text that are special in Markdown.
func escape(text string) string {
	return special.ReplaceAllString(text, `\$0`)
}

var special = regexp.MustCompile("[\\\\`*_{}\\[\\]()#+.!:|&<>~-]")
