package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/markgen/markgen/fileread"
)

// Exit codes of every command. run, test and exec pass on the exit code of the program they ran instead.
const (
	exitOK      = 0
	exitFinding = 1 // what was looked for was found: out of date, got worse
	exitFailure = 1 // the input has an error, or a file could not be read or written
	exitUsage   = 2 // the command line is wrong
)

// Env is what a command may know of the process around it; tests make their own.
type Env struct {
	Args           []string // the command line without the program's name
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Dir            string   // the working directory, absolute; relative file names are relative to it
	Environ        []string // the environment, "key=value"; the last of equal keys counts

	command *command // the one that runs, for its messages
}

// Getenv returns the value of an environment variable, "" when it is not set.
func (e *Env) Getenv(key string) string {
	for i := len(e.Environ) - 1; i >= 0; i-- {
		if k, v, _ := strings.Cut(e.Environ[i], "="); k == key {
			return v
		}
	}
	return ""
}

// Path makes a file name of the command line absolute.
func (e *Env) Path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(e.Dir, name)
}

// command is one subcommand.
type command struct {
	name  string // one word, as typed
	short string // what it does, one line, no full stop
	long  string // usage line, then what it does, the flags, examples; printed by help
	// sides: -- stands between operands, and flags may follow it. Else it ends the flags.
	sides bool
	// run does it. args are the arguments after the command's name; the result is the exit code.
	run func(ctx context.Context, env *Env, args []string) int
}

// usage prints the whole help text of c.
func (c *command) usage(w io.Writer) {
	fmt.Fprintf(w, "%s\n", strings.TrimSpace(c.long))
}

// run gives the rest of the command line to c.
func (e *Env) run(ctx context.Context, c *command, args []string) int {
	e.command = c
	return c.run(ctx, e, args)
}

// wrong reports a wrong command line and returns the exit code for it. The message says what is wrong; the
// remedy is added here.
func (e *Env) wrong(format string, args ...any) int {
	name := e.command.name
	fmt.Fprintf(e.Stderr, "markgen %s: %s; run markgen help %s\n", name, fmt.Sprintf(format, args...), name)
	return exitUsage
}

// fail reports an error and returns the exit code for it. Errors that start with a position
// ("file:line:col: …") are printed as they are, so that editors find the place.
func (e *Env) fail(err error) int {
	if startsWithPosition(err.Error()) {
		fmt.Fprintln(e.Stderr, err)
	} else {
		fmt.Fprintf(e.Stderr, "markgen %s: %v\n", e.command.name, err)
	}
	return exitFailure
}

// startsWithPosition reports whether a message begins with "file:line:".
func startsWithPosition(text string) bool {
	line, _, _ := strings.Cut(text, "\n")
	file, rest, ok := strings.Cut(line, ":")
	number, _, ok2 := strings.Cut(rest, ":")
	return ok && ok2 && file != "" && number != "" && strings.Trim(number, "0123456789") == ""
}

// flags returns an empty flag set for the command; parse reads a command line with it.
func (e *Env) flags() *flag.FlagSet {
	fs := flag.NewFlagSet(e.command.name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	return fs
}

// parse reads the flags of a command line, which may stand before, between and behind its operands; these are in
// fs.Args(). A -- before all operands ends the flags, for names that begin with a dash. When done is true the command
// ends with the exit code: help was asked for and printed, or a flag is wrong and was reported.
func (e *Env) parse(fs *flag.FlagSet, args []string) (code int, done bool) {
	var operands []string
	for {
		if code, done := e.parseFlags(fs, args); done {
			return code, true
		}
		read, rest := args[:len(args)-fs.NArg()], fs.Args()
		if len(read) > 0 && read[len(read)-1] == "--" {
			if e.command.sides && len(operands) > 0 {
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
	return exitOK, fs.Parse(append([]string{"--"}, operands...)) != nil // which reads no flag
}

// parseFlags reads the flags at the start of args; the rest is in fs.Args().
func (e *Env) parseFlags(fs *flag.FlagSet, args []string) (code int, done bool) {
	err := fs.Parse(args)
	switch {
	case err == nil:
		return exitOK, false
	case errors.Is(err, flag.ErrHelp):
		e.command.usage(e.Stdout)
		return exitOK, true
	}
	const undefined = "flag provided but not defined: -"
	if name, ok := strings.CutPrefix(err.Error(), undefined); ok {
		var known []string
		fs.VisitAll(func(f *flag.Flag) { known = append(known, f.Name) })
		if near := nearest(name, known); near != "" {
			return e.wrong("unknown flag -%s, did you mean -%s?", name, near), true
		}
		return e.wrong("unknown flag -%s", name), true
	}
	return e.wrong("%v", err), true
}

// looksLikeCommand reports whether a first argument was meant as a command: a plain lower-case word. Packages
// have a dot or a slash, save those go itself names with one word and a main module with a one-word path.
func looksLikeCommand(env *Env, word string) bool {
	if word == "" || strings.Trim(word, "abcdefghijklmnopqrstuvwxyz") != "" {
		return false
	}
	switch word {
	case "all", "std", "cmd", "work", "tool":
		return false
	}
	return word != modulePath(env.Dir)
}

// modulePath returns the path of the module that dir is in, "" when there is none.
func modulePath(dir string) string {
	root, err := moduleRoot(dir)
	if err != nil {
		return ""
	}
	text, err := fileread.File(filepath.Join(root, "go.mod"))
	if err != nil {
		return ""
	}
	return modfile.ModulePath(text)
}
