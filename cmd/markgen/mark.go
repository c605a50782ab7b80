package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/markgen/markgen/filewrite"
	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/internal/interrupt"
	"github.com/markgen/markgen/overlay"
	rt "github.com/markgen/markgen/runtime"
	"github.com/markgen/markgen/units"
)

var cmdMark = &cli.Command{
	Name:  "mark",
	Short: "mark source in place; the command when none is named",
	Long: `
usage: markgen [flags] [packages]
       markgen mark [flags] [packages]

Mark writes markers into the source of the packages, by default of the one in the current directory: those
that directives ask for and, with -all, every function, loop and branch. Lines inserted before are
removed first, so marking again changes only what has to change. Each package with markers gets a file
markgen_table.go, and the IDs are kept in markgen.registry at the module root; both belong into version
control. A package main that imports packages with markers gets a call that completes the data at the end. The module
needs the runtime: run markgen init once.

Nothing is written unless all packages, marked, compile; then either every file is written or none is.

  -all        every function, loop and branch outside of test files, as .markgen.yaml narrows it
  -strip      remove every inserted line, which restores the original bytes
  -check      write nothing; name the files that are not up to date, and exit with 1 if there are any
  -d          write nothing; print what would change, as a unified diff
  -l          write nothing; name the files that would change
  -n          write nothing
  -config F   read F instead of the .markgen.yaml at the module root
  -generated  mark generated files as well
  -vendored   import the runtime from ` + rt.VendoredPerf + ` in the module, which markgen init -vendor
              makes (default: if it is there)

examples:
  markgen -all ./...
  markgen -check ./...
  markgen -strip ./...
  //go:generate markgen`,
	Run: runMark,
}

// markOptions are the flags of mark.
type markOptions struct {
	loadOptions
	strip, generated, vendored bool
	looks                      bool // only looks, and writes nothing
}

func runMark(ctx context.Context, env *cli.Env, args []string) int {
	fs := env.Flags()
	var o markOptions
	fs.BoolVar(&o.All, "all", false, "")
	fs.BoolVar(&o.strip, "strip", false, "")
	fs.BoolVar(&o.generated, "generated", false, "")
	fs.BoolVar(&o.vendored, "vendored", false, "")
	fs.StringVar(&o.Config, "config", "", "")
	check := fs.Bool("check", false, "")
	asDiff := fs.Bool("d", false, "")
	list := fs.Bool("l", false, "")
	dry := fs.Bool("n", false, "")
	if code, done := env.Parse(fs, args); done {
		return code
	}
	if o.strip && o.All {
		return env.Wrong("-strip takes everything out, -all puts everything in; leave one of them")
	}
	o.Patterns = fs.Args()
	o.looks = *check || *asDiff || *list || *dry

	ctx, stop := interrupt.Context(ctx)
	defer stop()
	plan, unlock, err := planMarks(ctx, env, o)
	if err != nil {
		return env.Fail(err)
	}
	defer unlock()
	for _, c := range plan.changes {
		name := env.Shown(c.path)
		if *list || *check && !*asDiff {
			fmt.Fprintln(env.Stdout, name)
		}
		if *asDiff {
			fmt.Fprintf(env.Stdout, "%s", diff.Diff(name+".orig", c.old, name, c.text))
		}
	}
	switch {
	case *check && len(plan.changes) > 0:
		are := "are"
		if len(plan.changes) == 1 {
			are = "is"
		}
		fmt.Fprintf(env.Stderr, "markgen %s: %s %s not up to date; run markgen with the flags it was marked with\n", env.Command(),
			units.Plural(len(plan.changes), "file"), are)
		return cli.Finding
	case o.looks:
		return cli.OK
	}
	if plan.points == 0 && !plan.programs && !o.strip {
		fmt.Fprintf(env.Stderr, "markgen %s: no markers; put //perf:mark above a function or loop, pass -all, or name other packages, such as ./...\n", env.Command())
	}
	if err := plan.write(ctx, env, o); err != nil {
		return env.Fail(err)
	}
	for _, message := range plan.unseen {
		fmt.Fprintln(env.Stderr, message)
	}
	return cli.OK
}

// write writes the files of the plan, after compiling them.
func (p *markPlan) write(ctx context.Context, env *cli.Env, o markOptions) error {
	if len(p.changes) == 0 {
		return nil
	}
	files := map[string][]byte{}
	for _, c := range p.changes {
		files[c.path] = c.text
	}
	if !o.strip {
		if err := p.compile(ctx, env, files); err != nil {
			return err
		}
	}
	maps.DeleteFunc(files, func(path string, _ []byte) bool { return p.same[path] })
	err := filewrite.WriteAll(ctx, files)
	if failed := (*filewrite.Error)(nil); errors.As(err, &failed) {
		failed.Name = env.Shown(failed.Name)
	}
	if err != nil {
		return fmt.Errorf("%w (nothing was changed)", err)
	}
	return nil
}

// compile compiles the marked packages. If the unmarked source does not build either, it reports
// the compiler's messages with the current line numbers.
func (p *markPlan) compile(ctx context.Context, env *cli.Env, files map[string][]byte) error {
	sources := map[string][]byte{}
	for path, text := range files {
		if strings.HasSuffix(path, ".go") {
			sources[path] = text
		}
	}
	if len(sources) == 0 {
		return nil
	}
	o := overlay.ListOptions{Dir: env.Dir, Environ: env.Environ, Patterns: p.packages}
	ended := showWaiting(env, "compiling what is marked")
	defer ended()
	err := overlay.Compile(ctx, o, sources)
	var marked, plain *overlay.CompileError
	if !errors.As(err, &marked) {
		return err
	}
	err = overlay.Compile(ctx, o, p.unmarked)
	if errors.As(err, &plain) {
		lines := append(slices.Clone(plain.Lines), "(so it is without markers; nothing was written)")
		return &overlay.CompileError{Lines: lines}
	}
	if err != nil {
		return err
	}
	lines := append(slices.Clone(marked.Lines), "(in the marked source, which markgen -d shows; the source compiles without markers, so correct the size= or label= that is meant, or report this if none is; nothing was written)")
	return &overlay.CompileError{Lines: lines}
}
