package rewrite

import (
	"go/ast"
	"go/token"
)

// findDispatched sets dispatched of the methods that are called through an interface
// only, as far as the unit's syntax shows, and so are never inlined: other packages
// cannot call them, an interface of the unit has a method of that name, and no
// call is known to be of another kind.
func (u *Unit) findDispatched() {
	names := map[string]map[string]*function{} // by name of the method and of its receiver's type
	u.methods(func(name string) {
		if !ast.IsExported(name) {
			names[name] = map[string]*function{}
		}
	})
	if len(names) == 0 {
		return
	}
	for _, f := range u.files {
		for _, fn := range f.functions {
			if d := fn.decl; d != nil && d.Recv != nil && len(d.Recv.List) > 0 && names[d.Name.Name] != nil {
				names[d.Name.Name][baseType(d.Recv.List[0].Type)] = fn
			}
		}
	}
	interfaces, fields := u.interfaceTypes()
	for _, f := range u.files {
		for _, fn := range f.functions {
			if fn.decl == nil { // part of another one
				continue
			}
			vars := fn.declaredTypes()
			ast.Inspect(fn.body, func(n ast.Node) bool {
				sel, ok := n.(*ast.SelectorExpr)
				if !ok || len(names[sel.Sel.Name]) == 0 {
					return true
				}
				typ := ""
				switch x := ast.Unparen(sel.X).(type) {
				case *ast.Ident:
					typ = vars[x.Name]
				case *ast.SelectorExpr:
					typ = fields[x.Sel.Name]
				}
				methods := names[sel.Sel.Name]
				switch {
				case typ == "" || interfaces[typ]:
				case methods[typ] != nil:
					delete(methods, typ)
				default: // that of something embedded
					clear(methods)
				}
				return true
			})
		}
	}
	for _, methods := range names {
		for _, fn := range methods {
			fn.dispatched = true
		}
	}
}

// methods visits the names of the methods of the unit's interface types.
func (u *Unit) methods(visit func(name string)) {
	u.typeSpecs(func(s *ast.TypeSpec) {
		if t, ok := s.Type.(*ast.InterfaceType); ok {
			for _, m := range t.Methods.List {
				if _, ok := m.Type.(*ast.FuncType); ok && len(m.Names) > 0 {
					visit(m.Names[0].Name)
				}
			}
		}
	})
}

// interfaceTypes are the names of the interface types of the unit, and the base types
// of the fields of its structs. Of a field that several have that is one that is
// no interface, if there is one.
func (u *Unit) interfaceTypes() (interfaces map[string]bool, fields map[string]string) {
	interfaces, fields = map[string]bool{}, map[string]string{}
	u.typeSpecs(func(s *ast.TypeSpec) {
		if _, ok := s.Type.(*ast.InterfaceType); ok {
			interfaces[s.Name.Name] = true
		}
	})
	u.typeSpecs(func(s *ast.TypeSpec) {
		t, ok := s.Type.(*ast.StructType)
		if !ok {
			return
		}
		for _, field := range t.Fields.List {
			base := baseType(field.Type)
			for _, name := range field.Names {
				if was, ok := fields[name.Name]; !ok || was == "" || interfaces[was] {
					fields[name.Name] = base
				}
			}
		}
	})
	return interfaces, fields
}

// typeSpecs visits the types that the unit declares outside of functions.
func (u *Unit) typeSpecs(visit func(*ast.TypeSpec)) {
	for _, f := range u.files {
		for _, d := range f.ast.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.TYPE {
				for _, s := range g.Specs {
					visit(s.(*ast.TypeSpec))
				}
			}
		}
	}
}
