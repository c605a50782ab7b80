package exercise

import (
	"fmt"
	"go/types"
	"slices"
	"strings"
)

// A maker generates Go expressions for values of a type, chosen like seeds for a fuzzer: empty,
// small, typical, at a limit.
type maker struct {
	imports map[string]string         // names of imported packages by path
	known   map[string]*types.Package // all loaded packages by path
	own     *types.Package            // package whose functions are called
}

// An errCannot explains why there is no value of a type.
type errCannot struct{ why string }

func (e *errCannot) Error() string { return e.why }

func cannot(format string, args ...any) error { return &errCannot{fmt.Sprintf(format, args...)} }

// mostDepth is the maximum nesting of values.
const mostDepth = 4

// pkg returns the name under which a package is imported.
func (m *maker) pkg(path string) string {
	name, ok := m.imports[path]
	if !ok {
		name = fmt.Sprintf("p%d", len(m.imports))
		m.imports[path] = name
	}
	return name
}

// typ returns the source text of a type.
func (m *maker) typ(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string { return m.pkg(p.Path()) })
}

// nameable returns an error if a type cannot be named in another package.
func nameable(t *types.Named) error {
	if obj := t.Obj(); obj.Pkg() != nil && !obj.Exported() {
		return cannot("type %s is not exported", obj.Name())
	}
	return nil
}

var basics = map[types.BasicKind][]string{
	types.Bool:       {"false", "true"},
	types.Int:        {"1", "0", "7", "64", "1000", "-1"},
	types.Int8:       {"1", "0", "7", "-1"},
	types.Int16:      {"1", "0", "7", "1000", "-1"},
	types.Int32:      {"'a'", "1", "0", "'é'", "1000", "-1"},
	types.Int64:      {"1", "0", "7", "64", "1000", "-1"},
	types.Uint:       {"1", "0", "7", "64", "1000"},
	types.Uint8:      {"'a'", "0", "7", "255"},
	types.Uint16:     {"1", "0", "7", "1000"},
	types.Uint32:     {"1", "0", "7", "1000"},
	types.Uint64:     {"1", "0", "7", "64", "1000"},
	types.Uintptr:    {"1", "0", "64"},
	types.Float32:    {"1.5", "0", "-1", "1000"},
	types.Float64:    {"1.5", "0", "-1", "1e9"},
	types.Complex64:  {"1i", "0"},
	types.Complex128: {"1i", "0", "1+2i"},
	types.String:     {`"a"`, `""`, `"hello, world"`, `"123"`, `"a=b&c=d\ne: f"`, `"éß漢字"`},
}

// values returns expressions of a type; the error, an *errCannot, explains why there are none.
func (m *maker) values(t types.Type, depth int) (list []string, err error) {
	if depth > mostDepth {
		return nil, cannot("%s is made of too many others", m.typ(t))
	}
	if named, ok := types.Unalias(t).(*types.Named); ok {
		if err := nameable(named); err != nil {
			return nil, err
		}
		if list := m.special(named); list != nil {
			return list, nil
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		list = basics[u.Kind()]
		if list == nil {
			return nil, cannot("no value of type %s can be made", u)
		}
		return m.converted(t, list), nil
	case *types.Slice:
		return m.slice(t, u.Elem(), depth)
	case *types.Array:
		return []string{m.typ(t) + "{}"}, m.check(u.Elem(), depth)
	case *types.Map:
		keys, err := m.values(u.Key(), depth+1)
		if err != nil {
			return nil, err
		}
		elems, err := m.values(u.Elem(), depth+1)
		if err != nil {
			return nil, err
		}
		return []string{fmt.Sprintf("%s{%s: %s}", m.typ(t), keys[0], elems[0]), m.typ(t) + "{}", m.typ(t) + "(nil)"}, nil
	case *types.Pointer:
		elems, err := m.values(u.Elem(), depth+1)
		if err != nil {
			return nil, err
		}
		for _, e := range elems[:min(len(elems), 3)] {
			list = append(list, fmt.Sprintf("func() %s { v := %s; return &v }()", m.typ(t), m.exactly(u.Elem(), e)))
		}
		return list, nil
	case *types.Struct:
		return m.structure(t, u, depth), nil
	case *types.Signature:
		return m.function(u)
	case *types.Chan:
		elem := m.typ(u.Elem())
		if u.Dir() == types.SendOnly {
			return []string{fmt.Sprintf("make(chan %s, 1000)", elem)}, nil
		}
		return []string{fmt.Sprintf("func() chan %[1]s { c := make(chan %[1]s); close(c); return c }()", elem)}, nil
	case *types.Interface:
		return m.satisfying(t, u)
	}
	return nil, cannot("no value of type %s can be made", m.typ(t))
}

// check returns an error if there are no values of a type.
func (m *maker) check(t types.Type, depth int) error {
	_, err := m.values(t, depth+1)
	return err
}

// special returns values of types for which the general ones would be of little use.
func (m *maker) special(t *types.Named) []string {
	if t.Obj().Pkg() == nil {
		return nil
	}
	switch t.Obj().Pkg().Path() + "." + t.Obj().Name() {
	case "context.Context":
		return []string{m.pkg("context") + ".Background()"}
	case "time.Time":
		return []string{m.pkg("time") + ".Unix(1e9, 0).UTC()", m.pkg("time") + ".Time{}"}
	case "time.Duration":
		return []string{m.pkg("time") + ".Millisecond", m.pkg("time") + ".Duration(0)"}
	}
	return nil
}

// converted returns constants converted to a type. Constants of predeclared types need the
// conversion only where the type is not known otherwise, but may have it everywhere.
func (m *maker) converted(t types.Type, constants []string) (list []string) {
	for _, c := range constants {
		list = append(list, fmt.Sprintf("%s(%s)", m.typ(t), c))
	}
	return list
}

// exactly returns value converted, if necessary, such that a variable declared with it has type t.
func (m *maker) exactly(t types.Type, value string) string {
	if _, ok := t.Underlying().(*types.Interface); ok || value == "nil" {
		return fmt.Sprintf("%s(%s)", m.typ(t), value)
	}
	return value
}

func (m *maker) slice(t, elem types.Type, depth int) ([]string, error) {
	name := m.typ(t)
	if b, ok := elem.Underlying().(*types.Basic); ok && b.Kind() == types.Uint8 {
		return []string{name + `("hello, world")`, name + `("")`, name + "(nil)", name + `("{\"a\": [1, 2]}")`, fmt.Sprintf("make(%s, 64)", name)}, nil
	}
	values, err := m.values(elem, depth+1)
	if err != nil {
		return nil, err
	}
	return []string{
		fmt.Sprintf("%s{%s}", name, values[0]),
		fmt.Sprintf("%s{%s}", name, strings.Join(values, ", ")),
		name + "{}", name + "(nil)",
	}, nil
}

// structure returns the zero value, and a value with all exported fields set for which there are
// values.
func (m *maker) structure(t types.Type, s *types.Struct, depth int) []string {
	var fields []string
	for i := range s.NumFields() {
		f := s.Field(i)
		if !f.Exported() {
			continue
		}
		if values, err := m.values(f.Type(), depth+1); err == nil {
			fields = append(fields, f.Name()+": "+values[0])
		}
	}
	list := []string{m.typ(t) + "{}"}
	if len(fields) > 0 {
		list = append(list, fmt.Sprintf("%s{%s}", m.typ(t), strings.Join(fields, ", ")))
	}
	return list
}

// function returns a function literal without effects that returns zero values.
func (m *maker) function(s *types.Signature) ([]string, error) {
	var params, results []string
	for i := range s.Params().Len() {
		t := s.Params().At(i).Type()
		text := m.typ(t)
		if s.Variadic() && i == s.Params().Len()-1 {
			text = "..." + m.typ(t.(*types.Slice).Elem())
		}
		params = append(params, text)
	}
	for i := range s.Results().Len() {
		results = append(results, fmt.Sprintf("r%d %s", i, m.typ(s.Results().At(i).Type())))
	}
	if err := writable(s); err != nil {
		return nil, err
	}
	return []string{fmt.Sprintf("func(%s) (%s) { return }", strings.Join(params, ", "), strings.Join(results, ", "))}, nil
}

// writable returns an error if a type cannot be written outside its package.
func writable(t types.Type) (err error) {
	seen := map[types.Type]bool{}
	var walk func(types.Type)
	walk = func(t types.Type) {
		if err != nil || seen[t] {
			return
		}
		seen[t] = true
		switch t := types.Unalias(t).(type) {
		case *types.Named:
			err = nameable(t)
			for i := range t.TypeArgs().Len() {
				walk(t.TypeArgs().At(i))
			}
		case *types.Pointer:
			walk(t.Elem())
		case *types.Slice:
			walk(t.Elem())
		case *types.Array:
			walk(t.Elem())
		case *types.Chan:
			walk(t.Elem())
		case *types.Map:
			walk(t.Key())
			walk(t.Elem())
		case *types.Signature:
			for i := range t.Params().Len() {
				walk(t.Params().At(i).Type())
			}
			for i := range t.Results().Len() {
				walk(t.Results().At(i).Type())
			}
		}
	}
	walk(t)
	return err
}

// harmlessImplementations are values that satisfy common interfaces and affect only memory:
// package, type (with a star for a pointer), and expression after the package name.
var harmlessImplementations = [][3]string{
	{"strings", "*Reader", `.NewReader("hello, world\n1 2 3\n")`},
	{"bytes", "*Buffer", `.NewBufferString("a,b\n1,2\n")`},
	{"bytes", "*Reader", `.NewReader([]byte("{\"a\": [1, 2]}"))`},
	{"errors", "error", `.New("an error")`},
	{"sort", "IntSlice", `.IntSlice{3, 1, 2}`},
	{"time", "Duration", `.Second`},
	{"math/rand", "Source", `.NewSource(1)`},
}

// satisfying returns values that satisfy an interface: some of the standard library, and zero
// values of the package's own types.
func (m *maker) satisfying(t types.Type, iface *types.Interface) (list []string, err error) {
	if iface.NumMethods() == 0 && iface.IsMethodSet() {
		return []string{`"a"`, "1", "nil", "1.5"}, nil
	}
	for _, c := range harmlessImplementations {
		if v := m.lookup(c[0], c[1]); v != nil && types.Implements(v, iface) {
			list = append(list, m.pkg(c[0])+c[2])
		}
	}
	if len(list) > 0 {
		return list, nil
	}
	scope := m.own.Scope()
	for _, name := range scope.Names() {
		obj, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || !obj.Exported() || obj.IsAlias() {
			continue
		}
		named, ok := obj.Type().(*types.Named)
		if !ok || named.TypeParams().Len() > 0 || types.IsInterface(named) {
			continue
		}
		if types.Implements(types.NewPointer(named), iface) {
			list = append(list, fmt.Sprintf("new(%s)", m.typ(named)))
		}
		if len(list) == 4 {
			break
		}
	}
	if len(list) == 0 {
		return nil, cannot("no known type satisfies %s", m.typ(t))
	}
	return list, nil
}

// lookup returns a type of a loaded package, or nil.
func (m *maker) lookup(path, name string) types.Type {
	if name == "error" {
		return types.Universe.Lookup("error").Type()
	}
	pkg := m.known[path]
	if pkg == nil {
		return nil
	}
	base := strings.TrimPrefix(name, "*")
	obj := pkg.Scope().Lookup(base)
	if obj == nil {
		return nil
	}
	if base != name {
		return types.NewPointer(obj.Type())
	}
	return obj.Type()
}

// instance chooses type arguments that satisfy the constraints of the type parameters.
func (m *maker) instance(t types.Type, params *types.TypeParamList) (types.Type, []types.Type, error) {
	basic := types.Typ
	candidates := []types.Type{
		basic[types.Int], basic[types.String], basic[types.Float64],
		types.NewSlice(basic[types.Int]), types.NewSlice(basic[types.String]), types.NewMap(basic[types.String], basic[types.Int]),
	}
	args := make([]types.Type, params.Len())
	var try func(i int) types.Type
	try = func(i int) types.Type {
		if i == len(args) {
			inst, err := types.Instantiate(nil, t, slices.Clone(args), true)
			if err != nil {
				return nil
			}
			return inst
		}
		for _, c := range candidates {
			args[i] = c
			if inst := try(i + 1); inst != nil {
				return inst
			}
		}
		return nil
	}
	if len(args) > 4 {
		return nil, nil, cannot("it has %d type parameters", len(args))
	}
	if inst := try(0); inst != nil {
		return inst, args, nil
	}
	return nil, nil, cannot("no known type satisfies its type parameters")
}
