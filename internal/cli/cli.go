// Package cli is what the commands of markgen and markgend have in common: a [Program] is a table of commands, each with a
// help text and a function that is given its command line in an [Env].
package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/markgen/markgen/internal/environ"
	"github.com/markgen/markgen/internal/spelling"
)

// Exit codes of every command, unless it passes on that of a program that it ran.
const (
	OK      = 0
	Finding = 1 // what was looked for was found: out of date, got worse
	Failure = 1 // the input has an error, or a file could not be read or written
	Usage   = 2 // the command line is wrong
)

// Env is what a command may know of the process around it; tests make their own.
type Env struct {
	Args           []string // the command line without the program's name
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Dir            string   // the working directory, absolute; relative file names are relative to it
	Environ        []string // the environment, "key=value"; the last of equal keys counts

	program *Program
	command *Command // the one that runs, for its messages
}

// Getenv returns the value of an environment variable, "" when it is not set.
func (e *Env) Getenv(key string) string { return environ.Get(e.Environ, key) }

// Path makes a file name of the command line absolute.
func (e *Env) Path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(e.Dir, name)
}

// Shown returns a path as messages have it: relative to the working directory where it is below that.
func (e *Env) Shown(path string) string {
	rel, err := filepath.Rel(e.Dir, path)
	if err != nil || !filepath.IsLocal(rel) {
		return path
	}
	return rel
}

// A Command is one of a program's commands.
type Command struct {
	Name  string // one word, as typed
	Short string // what it does, one line, no full stop
	Long  string // usage line, then what it does, the flags, examples; printed by help
	// Sides: -- stands between operands, and flags may follow it. Else it ends the flags.
	Sides bool
	// Run does it. args are the arguments after the command's name; the result is the exit code.
	Run func(ctx context.Context, env *Env, args []string) int
}

// usage prints the whole help text of c.
func (c *Command) usage(w io.Writer) {
	fmt.Fprintf(w, "%s\n", strings.TrimSpace(c.Long))
}

// Running returns e as it is given to c, a command of p.
func (e *Env) Running(p *Program, c *Command) *Env {
	e.program, e.command = p, c
	return e
}

// Name is how messages name the command: "markgen list".
func (e *Env) Name() string { return e.program.Name + " " + e.command.Name }

// Command is the command's own name.
func (e *Env) Command() string { return e.command.Name }

// Wrong reports a wrong command line and returns the exit code for it. The message says what is wrong; the
// remedy is added here.
func (e *Env) Wrong(format string, args ...any) int {
	fmt.Fprintf(e.Stderr, "%s: %s; run %s help %s\n", e.Name(), fmt.Sprintf(format, args...), e.program.Name, e.command.Name)
	return Usage
}

// Fail reports an error and returns the exit code for it. Errors that start with a position
// ("file:line:col: …") are printed as they are, so that editors find the place.
func (e *Env) Fail(err error) int {
	if startsWithPosition(err.Error()) {
		fmt.Fprintln(e.Stderr, err)
	} else {
		fmt.Fprintf(e.Stderr, "%s: %v\n", e.Name(), err)
	}
	return Failure
}

// Warn prints what is unusual and does not keep the command from its work.
func (e *Env) Warn(text string) {
	io.WriteString(e.Stderr, e.Name()+": warning: "+text+"\n")
}

// startsWithPosition reports whether a message begins with "file:line:".
func startsWithPosition(text string) bool {
	line, _, _ := strings.Cut(text, "\n")
	file, rest, ok := strings.Cut(line, ":")
	number, _, ok2 := strings.Cut(rest, ":")
	return ok && ok2 && file != "" && number != "" && strings.Trim(number, "0123456789") == ""
}

// Flags returns an empty flag set for the command; Parse reads a command line with it.
func (e *Env) Flags() *flag.FlagSet {
	fs := flag.NewFlagSet(e.command.Name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	return fs
}

// Parse reads the flags of a command line, which may stand before, between and behind its operands; these are in
// fs.Args(). A -- before all operands ends the flags, for names that begin with a dash. When done is true the command
// ends with the exit code: help was asked for and printed, or a flag is wrong and was reported.
func (e *Env) Parse(fs *flag.FlagSet, args []string) (code int, done bool) {
	var operands []string
	for {
		if code, done := e.ParseFlags(fs, args); done {
			return code, true
		}
		read, rest := args[:len(args)-fs.NArg()], fs.Args()
		if len(read) > 0 && read[len(read)-1] == "--" {
			if e.command.Sides && len(operands) > 0 {
				operands, args = append(operands, "--"), rest
				continue
			}
			operands = append(operands, rest...)
			break
		}
		if len(rest) == 0 {
			break
		}
		operands, args = append(operands, rest[0]), rest[1:]
	}
	return OK, fs.Parse(append([]string{"--"}, operands...)) != nil // which reads no flag
}

// ParseFlags reads the flags at the start of args; the rest is in fs.Args().
func (e *Env) ParseFlags(fs *flag.FlagSet, args []string) (code int, done bool) {
	err := fs.Parse(args)
	switch {
	case err == nil:
		return OK, false
	case errors.Is(err, flag.ErrHelp):
		e.command.usage(e.Stdout)
		return OK, true
	}
	const undefined = "flag provided but not defined: -"
	if name, ok := strings.CutPrefix(err.Error(), undefined); ok {
		var known []string
		fs.VisitAll(func(f *flag.Flag) { known = append(known, f.Name) })
		if near := spelling.Nearest(name, known); near != "" {
			return e.Wrong("unknown flag -%s, did you mean -%s?", name, near), true
		}
		return e.Wrong("unknown flag -%s", name), true
	}
	return e.Wrong("%v", err), true
}
