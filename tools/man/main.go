// Command man writes the manual pages of markgen or markgend: markgen.1 with the list of commands, and markgen-COMMAND.1 with
// what markgen help COMMAND prints. So there is one text, the help, and the library that makes pages of it is not in the command.
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

// commandLine is the line of a command in the list.
var commandLine = regexp.MustCompile(`(?m)^  ([a-z]+) +(\S.*)$`)

// help returns what the command's help prints.
func help(program string, args ...string) string {
	out, err := exec.Command(program, append([]string{"help"}, args...)...).Output()
	if err != nil {
		log.Fatalf("%s help %s: %v", program, strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out))
}

// flagLine is the first line of a flag that a list explains: what is to be typed, and what it means.
var flagLine = regexp.MustCompile(`^  (-[a-z][a-z0-9-]*(?: [^ ]+)?) +(\S.*)$`)

// markdown makes a page of a help text: usage lines, and blocks between empty lines, which are examples, lists of flags, text
// that is set off, or paragraphs.
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
		// A paragraph may be right above what is set off.
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
			// A comment ends a block of code, where one follows another.
			fmt.Fprintf(&b, "<!-- %d -->\n\n", i)
			for _, line := range lines {
				fmt.Fprintf(&b, "    %s\n", strings.TrimPrefix(line, "  "))
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// valueLine is a line that explains one of a flag's values.
var valueLine = regexp.MustCompile(`^[a-z]+: `)

// flags writes a list of flags. A line that is none goes on with what the one above it says.
func flags(b *strings.Builder, lines []string) {
	for i := 0; i < len(lines); {
		m := flagLine.FindStringSubmatch(lines[i])
		term, about := m[1], []string{m[2]}
		for i++; i < len(lines) && !flagLine.MatchString(lines[i]); i++ {
			line := strings.TrimSpace(lines[i])
			if valueLine.MatchString(line) {
				about[len(about)-1] += "  \n" // which breaks the line
			}
			about = append(about, line)
		}
		name, value, _ := strings.Cut(term, " ")
		if c := value + "A"; c[0] >= 'a' && c[0] <= 'z' {
			value, about[0] = "", value+" "+about[0] // it belongs to what is said, behind a single space
		}
		term = "**" + escape(name) + "**"
		if value != "" {
			term += " *" + escape(value) + "*"
		}
		fmt.Fprintf(b, "%s\n: %s\n\n", term, strings.ReplaceAll(escape(strings.Join(about, " ")), "\n ", "\n"))
	}
}

// escape keeps markdown out of a text.
func escape(text string) string {
	return special.ReplaceAllString(text, `\$0`)
}

var special = regexp.MustCompile("[\\\\`*_{}\\[\\]()#+.!:|&<>~-]")
