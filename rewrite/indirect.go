package rewrite

import (
	"go/ast"
	"go/token"
)

// findIndirect sets indirect of the functions that nothing calls by their names, as
// far as the unit's syntax shows: methods that are called through an interface, and
// functions that are used as values. Other packages cannot call them.
func (u *Unit) findIndirect() {
	methods := map[string]map[string]*function{} // by name, which an interface of the unit has, and type of the receiver
	u.methods(func(name string) {
		if !ast.IsExported(name) {
			methods[name] = map[string]*function{}
		}
	})
	functions := map[string]*function{}
	for _, f := range u.files {
		for _, fn := range f.functions {
			d := fn.decl
			switch {
			case d == nil || ast.IsExported(d.Name.Name):
			case d.Recv == nil:
				functions[d.Name.Name] = fn
			case len(d.Recv.List) > 0 && methods[d.Name.Name] != nil:
				methods[d.Name.Name][baseType(d.Recv.List[0].Type)] = fn
			}
		}
	}
	interfaces, fields := u.interfaceTypes()
	for _, f := range u.files {
		var vars map[string]string
		visit := func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				switch x := ast.Unparen(n.Fun).(type) {
				case *ast.Ident:
					delete(functions, x.Name)
				case *ast.IndexExpr, *ast.IndexListExpr:
					delete(functions, baseType(x))
				}
			case *ast.SelectorExpr:
				called := methods[n.Sel.Name]
				if len(called) == 0 {
					break
				}
				typ := ""
				switch x := ast.Unparen(n.X).(type) {
				case *ast.Ident:
					typ = vars[x.Name]
				case *ast.SelectorExpr:
					typ = fields[x.Sel.Name]
				}
				switch {
				case typ == "" || interfaces[typ]:
				case called[typ] != nil:
					delete(called, typ)
				default: // that of something embedded
					clear(called)
				}
			}
			return true
		}
		at := map[*ast.FuncDecl]*function{}
		for _, fn := range f.functions {
			if fn.decl != nil {
				at[fn.decl] = fn
			}
		}
		for _, d := range f.ast.Decls {
			vars = nil
			if d, ok := d.(*ast.FuncDecl); ok {
				if fn := at[d]; fn != nil {
					vars = fn.declaredTypes()
				}
			}
			ast.Inspect(d, visit)
		}
	}
	for _, fn := range functions {
		fn.indirect = true
	}
	for _, list := range methods {
		for _, fn := range list {
			fn.indirect = true
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
	u.structFields(func(name, base string) {
		if was, ok := fields[name]; !ok || was == "" || interfaces[was] {
			fields[name] = base
		}
	})
	return interfaces, fields
}

// structFields visits the fields of the unit's struct types, with the base types of theirs.
func (u *Unit) structFields(visit func(name, base string)) {
	u.typeSpecs(func(s *ast.TypeSpec) {
		t, ok := s.Type.(*ast.StructType)
		if !ok {
			return
		}
		for _, field := range t.Fields.List {
			base := baseType(field.Type)
			for _, name := range field.Names {
				visit(name.Name, base)
			}
			if field.Names == nil { // embedded
				if s, ok := field.Type.(*ast.SelectorExpr); ok {
					visit(s.Sel.Name, "")
				} else {
					visit(base, base)
				}
			}
		}
	})
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
