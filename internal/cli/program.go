package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/markgen/markgen/internal/spelling"
)

// A Program describes a binary and its commands.
type Program struct {
	Name string // as typed
	Long string // start of the help text: purpose and usage lines
	End  string // end of the help text

	// Commands are its commands, in the order of the help text, without help and version, which are
	// added.
	Commands []*Command

	// Default is the command that runs if the first argument is not a command.
	Default string

	// IsCommand reports whether an unknown first argument was meant as a command. OrElse returns a
	// further hint about it.
	IsCommand func(env *Env, word string) bool
	OrElse    func(word string) string
}

// Main runs the command that env.Args names and returns its exit code.
func (p *Program) Main(ctx context.Context, env *Env) int {
	args := env.Args
	if len(args) > 0 {
		if alias := map[string]string{"-h": "help", "-help": "help", "--help": "help", "-version": "version", "--version": "version"}[args[0]]; alias != "" {
			args = append([]string{alias}, args[1:]...)
		}
		if c := p.Lookup(args[0]); c != nil {
			return c.Run(ctx, env.Running(p, c), args[1:])
		}
		if p.IsCommand(env, args[0]) {
			return p.unknown(env, args[0])
		}
	}
	c := p.Lookup(p.Default)
	return c.Run(ctx, env.Running(p, c), args)
}

// All returns the commands, including help and version.
func (p *Program) All() []*Command {
	return append(slices.Clone(p.Commands), p.version(), p.help())
}

// Lookup returns the named command, or nil.
func (p *Program) Lookup(name string) *Command {
	for _, c := range p.All() {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// unknown reports an unknown command.
func (p *Program) unknown(env *Env, word string) int {
	var names []string
	for _, c := range p.All() {
		names = append(names, c.Name)
	}
	if near := spelling.Nearest(word, names); near != "" {
		fmt.Fprintf(env.Stderr, "%s: unknown command %q, did you mean %q? Run %[1]s help for the list\n", p.Name, word, near)
		return Usage
	}
	other := ""
	if p.OrElse != nil {
		other = ", or " + p.OrElse(word)
	}
	fmt.Fprintf(env.Stderr, "%s: unknown command %q; run %[1]s help for the list%[3]s\n", p.Name, word, other)
	return Usage
}

func (p *Program) help() *Command {
	return &Command{
		Name:  "help",
		Short: "this list, or what one command does",
		Long: `
usage: ` + p.Name + ` help [command]

Help lists the commands, or says what one of them does, with its flags and examples.
` + p.Name + ` COMMAND -h prints the same.`,
		Run: func(_ context.Context, env *Env, args []string) int {
			switch {
			case len(args) == 0:
				p.list(env)
				return OK
			case len(args) > 1:
				return env.Wrong("one command at a time, not %d", len(args))
			}
			word := args[0]
			if word == "-h" || word == "-help" || word == "--help" {
				word = "help"
			}
			c := p.Lookup(word)
			if c == nil {
				return p.unknown(env, word)
			}
			c.usage(env.Stdout)
			return OK
		},
	}
}

// list prints the purpose of the program and its commands.
func (p *Program) list(env *Env) {
	fmt.Fprintf(env.Stdout, "%s\n\n", p.Long)
	all := p.All()
	width := len(slices.MaxFunc(all, func(a, b *Command) int { return cmp.Compare(len(a.Name), len(b.Name)) }).Name)
	for _, c := range all {
		fmt.Fprintf(env.Stdout, "  %-*s   %s\n", width, c.Name, c.Short)
	}
	fmt.Fprintf(env.Stdout, "\n%s\n", p.End)
}
