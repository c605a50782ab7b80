package exercise

import (
	"context"
	"errors"
	"fmt"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// Options select the functions to exercise.
type Options struct {
	Dir        string   // directory in which go runs
	Environ    []string // nil for the environment of the process
	Patterns   []string // package patterns
	BuildFlags []string // build flags of go
	Functions  []string // names of markers: import/path.F, import/path.T.M, import/path.(*T).M

	// Without gives, for functions that must not be called, the reason by name; it may come from an
	// Outcome.
	Without map[string]string
}

// A Plan has the functions that can be exercised, and the tests that do it.
type Plan struct {
	Files     map[string][]byte // test files by absolute path; none of them exists yet
	Packages  []string          // import paths of the packages with a test file
	Functions []string          // called functions, sorted by name
	Refused   []Refusal         // functions that are not called, sorted by name
}

// A Refusal is a function that is not called, and why.
type Refusal struct{ Name, Why string }

// Make determines which of the functions can be called, and generates tests that call them.
func Make(ctx context.Context, o Options) (*Plan, error) {
	cfg := &packages.Config{Context: ctx, Mode: packages.LoadAllSyntax | packages.NeedModule, Dir: o.Dir, Env: o.Environ, BuildFlags: o.BuildFlags}
	patterns := slices.Clone(o.Patterns)
	for _, c := range harmlessImplementations {
		patterns = append(patterns, c[0])
	}
	loaded, err := packages.Load(cfg, patterns...)
	if err != nil {
		return nil, fmt.Errorf("loading packages to exercise: %w", err)
	}
	known := map[string]*types.Package{}
	packages.Visit(loaded, nil, func(p *packages.Package) { known[p.PkgPath] = p.Types })
	effects := findEffects(loaded)
	plan := &Plan{Files: map[string][]byte{}}
	left := slices.Clone(o.Functions)
	for _, p := range loaded {
		var own []string
		left = slices.DeleteFunc(left, func(name string) bool {
			is := strings.HasPrefix(name, p.PkgPath+".") && !strings.Contains(name[len(p.PkgPath)+1:], "/")
			if is {
				own = append(own, name)
			}
			return is
		})
		if len(own) > 0 {
			if err := plan.add(p, own, known, effects, o.Without); err != nil {
				return nil, err
			}
		}
	}
	for _, name := range left {
		plan.refuse(name, "its package was not found")
	}
	slices.Sort(plan.Functions)
	slices.SortFunc(plan.Refused, func(a, b Refusal) int { return strings.Compare(a.Name, b.Name) })
	return plan, nil
}

func (p *Plan) refuse(name, format string, args ...any) {
	p.Refused = append(p.Refused, Refusal{name, fmt.Sprintf(format, args...)})
}

// add adds the functions of a package to the plan.
func (p *Plan) add(pkg *packages.Package, names []string, known map[string]*types.Package, effects *effects, without map[string]string) error {
	why := ""
	switch {
	case len(pkg.GoFiles) == 0 || len(pkg.Errors) > 0:
		why = "its package does not build"
	case pkg.Name == "main":
		why = "nothing can import package main"
	case inModuleCache(pkg.Module):
		why = "go adds no file to the module cache; exercise a copy of the module (go mod edit -replace)"
	}
	if why != "" {
		for _, name := range names {
			p.refuse(name, "%s", why)
		}
		return nil
	}
	f := &testFile{pkg: pkg.Types, maker: &maker{imports: map[string]string{}, known: known, own: pkg.Types}, effects: effects}
	for _, name := range names {
		if why, ok := without[name]; ok {
			p.refuse(name, "%s", why)
			continue
		}
		if err := f.exercise(name, name[len(pkg.PkgPath)+1:]); err != nil {
			p.refuse(name, "%v", err)
		}
	}
	text, dropped, err := f.write()
	if err != nil {
		return err
	}
	for _, name := range dropped {
		p.refuse(name, "a call of it with made-up arguments does not compile")
	}
	if len(f.calls) > 0 {
		p.Files[filepath.Join(filepath.Dir(pkg.GoFiles[0]), FileName)] = text
		p.Packages = append(p.Packages, pkg.PkgPath)
		for _, c := range f.calls {
			p.Functions = append(p.Functions, c.name)
		}
	}
	return nil
}

// inModuleCache reports whether a package's module, nil for the standard library, is in the module cache.
func inModuleCache(m *packages.Module) bool {
	if m != nil && m.Replace != nil {
		m = m.Replace
	}
	return m != nil && m.Version != "" && m.Dir != "" // vendored packages have no Dir
}

// A testFile is a test file being generated.
type testFile struct {
	pkg     *types.Package
	maker   *maker
	effects *effects
	calls   []calls
}

// A calls has the calls of one function, one statement each.
type calls struct {
	name  string
	stmts []string
}

// mostCalls is the maximum number of different calls of a function.
const mostCalls = 6

// exercise generates calls of a function; name is its name in the package.
func (f *testFile) exercise(marker, name string) error {
	typ, method, isMethod := strings.Cut(name, ").")
	if isMethod {
		typ = strings.TrimPrefix(typ, "(*")
	} else {
		typ, method, isMethod = strings.Cut(name, ".")
	}
	obj := f.pkg.Scope().Lookup(typ)
	if obj == nil {
		return errors.New("it is not declared in this build of the package")
	}
	var fn *types.Func
	callees := []string{""}
	sig := (*types.Signature)(nil)
	if !isMethod {
		var ok bool
		if fn, ok = obj.(*types.Func); !ok {
			return errors.New("it is not a function")
		}
		sig = fn.Signature()
		callee := f.maker.pkg(f.pkg.Path()) + "." + fn.Name()
		if sig.TypeParams().Len() > 0 {
			inst, args, err := f.maker.instance(sig, sig.TypeParams())
			if err != nil {
				return err
			}
			sig = inst.(*types.Signature)
			var texts []string
			for _, a := range args {
				texts = append(texts, f.maker.typ(a))
			}
			callee += "[" + strings.Join(texts, ", ") + "]"
		}
		callees[0] = callee
	} else {
		recv := obj.Type()
		if named, ok := recv.(*types.Named); ok && named.TypeParams().Len() > 0 {
			inst, _, err := f.maker.instance(named, named.TypeParams())
			if err != nil {
				return err
			}
			recv = inst
		}
		found, _, _ := types.LookupFieldOrMethod(types.NewPointer(recv), true, f.pkg, method)
		var ok bool
		if fn, ok = found.(*types.Func); !ok {
			return errors.New("its receiver has no such method")
		}
		sig = fn.Signature()
		receivers, err := f.receivers(recv)
		if err != nil {
			return err
		}
		callees = nil
		for _, r := range receivers {
			callees = append(callees, "("+r+")."+method)
		}
	}
	target := f.effects.prog.FuncValue(fn.Origin())
	if target == nil {
		return errors.New("the call graph does not have it")
	}
	if what := f.effects.reaches(target); what != "" {
		return fmt.Errorf("it may reach %s", what)
	}
	arguments, err := f.arguments(sig)
	if err != nil {
		return err
	}
	c := calls{name: marker}
	for k := range max(len(callees), min(mostCalls, most(arguments))) {
		c.stmts = append(c.stmts, fmt.Sprintf("%s(%s)", callees[k%len(callees)], pick(arguments, k, sig.Variadic())))
	}
	f.calls = append(f.calls, c)
	return nil
}

// most returns the maximum number of values of an argument, at least 1.
func most(arguments [][]string) int {
	n := 1
	for _, a := range arguments {
		n = max(n, len(a))
	}
	return n
}

// arguments returns the possible values of each parameter.
func (f *testFile) arguments(sig *types.Signature) (list [][]string, err error) {
	for i := range sig.Params().Len() {
		values, err := f.maker.values(sig.Params().At(i).Type(), 0)
		if err != nil {
			return nil, err
		}
		list = append(list, values)
	}
	return list, nil
}

// pick returns the argument list of call k. Each argument cycles through its values at a different
// rate.
func pick(arguments [][]string, k int, variadic bool) string {
	var list []string
	for i, values := range arguments {
		v := values[(k*(i+1)+k/len(values)*i)%len(values)]
		if variadic && i == len(arguments)-1 {
			v += "..."
		}
		list = append(list, v)
	}
	return strings.Join(list, ", ")
}

// receivers returns expressions for a receiver of type t, as a pointer: the results of the
// package's New… functions of that type, or else values of the type.
func (f *testFile) receivers(t types.Type) (list []string, err error) {
	ptr := f.maker.typ(types.NewPointer(t))
	scope := f.pkg.Scope()
	for _, name := range scope.Names() {
		fn, ok := scope.Lookup(name).(*types.Func)
		if !ok || !strings.HasPrefix(name, "New") && !strings.HasPrefix(name, "Must") || fn.Signature().TypeParams().Len() > 0 {
			continue
		}
		results := fn.Signature().Results()
		if results.Len() == 0 || results.Len() > 2 || results.Len() == 2 && results.At(1).Type() != types.Universe.Lookup("error").Type() {
			continue
		}
		makes := results.At(0).Type()
		isPointer := types.Identical(makes, types.NewPointer(t))
		if !isPointer && !types.Identical(makes, t) {
			continue
		}
		target := f.effects.prog.FuncValue(fn)
		arguments, err := f.arguments(fn.Signature())
		if err != nil || target == nil || f.effects.reaches(target) != "" {
			continue
		}
		vars, result := "v", "v"
		if results.Len() == 2 {
			vars = "v, _"
		}
		if !isPointer {
			result = "&v"
		}
		for k := range min(2, most(arguments)) {
			list = append(list, fmt.Sprintf("func() %s { %s := %s.%s(%s); return %s }()", ptr, vars, f.maker.pkg(f.pkg.Path()), name, pick(arguments, k, fn.Signature().Variadic()), result))
		}
		if len(list) >= 4 {
			break
		}
	}
	if len(list) == 0 {
		return f.maker.values(types.NewPointer(t), 0)
	}
	return list, nil
}
