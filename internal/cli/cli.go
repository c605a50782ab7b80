// Package cli is shared by the commands markgen and markgend: a [Program] is a table of commands,
// each with a help text and a function that gets its command line in an [Env].
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

// Exit codes of every command, unless it passes on that of a program it ran.
const (
	OK      = 0
	Finding = 1 // the command found something: files out of date, a marker that got worse
	Failure = 1 // an error in the input, or a file that could not be read or written
	Usage   = 2 // the command line is wrong
)

// An Env is the environment of a command; tests make their own.
type Env struct {
	Args           []string // command line without the program's name
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Dir            string   // absolute path of the working directory; relative file names are relative to it
	Environ        []string // environment, "key=value"; the last of equal keys counts

	program *Program
	command *Command // the running command, for its messages
}

// Getenv returns the value of an environment variable, or "" if it is not set.
func (e *Env) Getenv(key string) string { return environ.Get(e.Environ, key) }

// Path makes a file name of the command line absolute.
func (e *Env) Path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(e.Dir, name)
}

// Shown returns a path for messages: relative to the working directory if it is below it.
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
	Short string // one line without a full stop
	Long  string // usage line, description, flags, examples; printed by help
	// Sides says that -- separates operands, and flags may follow it. Otherwise it ends the flags.
	Sides bool
	// Run runs the command. args are the arguments after the command's name; the result is the exit
	// code.
	Run func(ctx context.Context, env *Env, args []string) int
}

// usage prints the full help text.
func (c *Command) usage(w io.Writer) {
	fmt.Fprintf(w, "%s\n", strings.TrimSpace(c.Long))
}

// Running sets the program and the command of e, and returns e.
func (e *Env) Running(p *Program, c *Command) *Env {
	e.program, e.command = p, c
	return e
}

// Name returns the command's name for messages, such as "markgen list".
func (e *Env) Name() string { return e.program.Name + " " + e.command.Name }

// Command returns the command's own name.
func (e *Env) Command() string { return e.command.Name }

// Wrong reports a usage error and returns its exit code. It adds a hint about help to the message.
func (e *Env) Wrong(format string, args ...any) int {
	fmt.Fprintf(e.Stderr, "%s: %s; run %s help %s\n", e.Name(), fmt.Sprintf(format, args...), e.program.Name, e.command.Name)
	return Usage
}

// Fail reports an error and returns its exit code. Errors that start with a position
// ("file:line:col: …") are printed unchanged, so that editors can find the place.
func (e *Env) Fail(err error) int {
	if startsWithPosition(err.Error()) {
		fmt.Fprintln(e.Stderr, err)
	} else {
		fmt.Fprintf(e.Stderr, "%s: %v\n", e.Name(), err)
	}
	return Failure
}

// Warn prints a warning about a problem that does not stop the command.
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

// Flags returns an empty flag set for the command, for use with Parse.
func (e *Env) Flags() *flag.FlagSet {
	fs := flag.NewFlagSet(e.command.Name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	return fs
}

// Parse parses the flags of a command line, which may be before, between and after its operands;
// the operands are in fs.Args(). A -- before all operands ends the flags, for names that begin with
// a dash. If done is true, the command must exit with code: help was requested and printed, or a
// flag is wrong and was reported.
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
	return OK, fs.Parse(append([]string{"--"}, operands...)) != nil // with --, Parse accepts all operands
}

// ParseFlags parses the flags at the start of args; the rest is in fs.Args().
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
