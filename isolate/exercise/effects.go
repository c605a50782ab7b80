package exercise

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/callgraph"
	"golang.org/x/tools/go/callgraph/cha"
	"golang.org/x/tools/go/callgraph/vta"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

// effects knows which functions touch what is outside of the process.
type effects struct {
	prog  *ssa.Program
	graph *callgraph.Graph
}

// findEffects builds the call graph of the packages and all that they import. Where a call
// may lead is worked out from the types that flow there (Sundaresan et al., Practical
// Virtual Method Call Resolution for Java, 2000): by the types that fit alone, whatever
// writes to an io.Writer would write to files.
func findEffects(pkgs []*packages.Package) *effects {
	prog, _ := ssautil.AllPackages(pkgs, ssa.InstantiateGenerics)
	prog.Build()
	return &effects{prog, vta.CallGraph(ssautil.AllFunctions(prog), cha.CallGraph(prog))}
}

// outside tells whether a function is one of those by which a process touches what is
// outside of it. Reading the time and the environment, and numbers of the process, is not.
func outside(f *ssa.Function) bool {
	pkg := f.Package()
	if pkg == nil && f.Origin() != nil {
		pkg = f.Origin().Package()
	}
	if pkg == nil || pkg.Pkg == nil {
		return false
	}
	path := pkg.Pkg.Path()
	if harmless[f.Name()] || strings.HasPrefix(f.Name(), "init") {
		return false
	}
	switch path {
	case "os/exec", "os/signal", "net", "plugin", "internal/poll", "log/syslog", "os/user", "runtime/cgo":
		return true
	case "os", "syscall", "internal/syscall/unix", "internal/syscall/windows", "golang.org/x/sys/unix", "golang.org/x/sys/windows",
		"internal/runtime/syscall", "internal/runtime/syscall/linux", "runtime/internal/syscall":
		return touches(f)
	}
	return false
}

// harmless are functions of os and syscall that touch nothing but this process's memory,
// and those by which errors are told apart.
var harmless = map[string]bool{
	"Error": true, "Unwrap": true, "Is": true, "Timeout": true, "Temporary": true, "String": true, "Getenv": true,
	"LookupEnv": true, "Environ": true, "ExpandEnv": true, "Expand": true, "Getpid": true, "Getppid": true, "Getuid": true,
	"Getgid": true, "Getpagesize": true, "IsNotExist": true, "IsExist": true, "IsPermission": true, "IsTimeout": true,
	"IsPathSeparator": true, "NewSyscallError": true, "underlyingErrorIs": true, "underlyingError": true,
	"copyenv": true, "runtime_envs": true, "BytePtrFromString": true, "ByteSliceFromString": true, "Name": true, "Mode": true,
	"Perm": true, "IsDir": true, "IsRegular": true, "Type": true, "Size": true, "ModTime": true, "Sys": true, "Nano": true, "Unix": true,
	"Gettimeofday": true, "Getpgrp": true,
}

// touches tells whether a function of os or syscall can do more than compute: it has no body
// that could be looked at, as system calls have none, or is one of a file.
func touches(f *ssa.Function) bool {
	if f.Blocks == nil {
		return true
	}
	if r := f.Signature.Recv(); r != nil {
		t := r.Type().String()
		return strings.HasSuffix(t, "os.File") || strings.HasSuffix(t, "os.Root") || strings.HasSuffix(t, "os.Process")
	}
	return false
}

// passed are functions that call what they are given. Where everybody who gives them something
// is taken together, as in the call graph, each may call anything: of a call of these is
// followed what is given there, as far as that can be seen. What a sync.Pool makes is
// memory.
func passed(f *ssa.Function) bool {
	name := f.String()
	if o := f.Origin(); o != nil {
		name = o.String()
	}
	switch name {
	case "(*sync.Once).Do", "(*sync.Once).doSlow", "(*sync.Pool).Get", "sync.OnceFunc", "sync.OnceValue", "sync.OnceValues",
		"fmt.Fprint", "fmt.Fprintf", "fmt.Fprintln", "fmt.Sprint", "fmt.Sprintf", "fmt.Sprintln", "fmt.Errorf",
		"fmt.Append", "fmt.Appendf", "fmt.Appendln", "io.WriteString", "io.Copy", "io.CopyN", "io.CopyBuffer",
		"io.ReadAll", "io.ReadFull", "io.ReadAtLeast", "(*sync.Map).Range":
		return true
	}
	return false
}

// reaches returns the name of a function that f may call, directly or not, which touches
// what is outside; "" if there is none.
func (e *effects) reaches(f *ssa.Function) string {
	seen := map[*callgraph.Node]bool{nil: true}
	var queue []*callgraph.Node
	add := func(n *callgraph.Node) {
		if !seen[n] {
			seen[n] = true
			queue = append(queue, n)
		}
	}
	add(e.graph.Nodes[f])
	for ; len(queue) > 0; queue = queue[1:] {
		n := queue[0]
		if outside(n.Func) {
			return n.Func.String()
		}
		for _, edge := range n.Out {
			if !passed(edge.Callee.Func) {
				add(edge.Callee)
				continue
			}
			if edge.Site != nil {
				for _, given := range e.given(edge.Site.Common()) {
					add(e.graph.Nodes[given])
				}
			}
		}
	}
	return ""
}

// given are the functions among the arguments of a call, and the methods of its arguments
// by which an interface is satisfied, or package fmt prints a value.
func (e *effects) given(call *ssa.CallCommon) (list []*ssa.Function) {
	for _, arg := range call.Args {
		switch arg := arg.(type) {
		case *ssa.Function:
			list = append(list, arg)
		case *ssa.MakeClosure:
			if f, ok := arg.Fn.(*ssa.Function); ok {
				list = append(list, f)
			}
		case *ssa.MakeInterface:
			list = append(list, e.methods(arg)...)
		case *ssa.Slice:
			list = append(list, e.elements(arg)...)
		}
	}
	return list
}

// elements are those methods of the elements of a variadic argument.
func (e *effects) elements(list *ssa.Slice) (methods []*ssa.Function) {
	array, ok := list.X.(*ssa.Alloc)
	if !ok {
		return nil
	}
	for _, at := range *array.Referrers() {
		element, ok := at.(*ssa.IndexAddr)
		if !ok {
			continue
		}
		for _, use := range *element.Referrers() {
			if store, ok := use.(*ssa.Store); ok {
				if v, ok := store.Val.(*ssa.MakeInterface); ok {
					methods = append(methods, e.methods(v)...)
				}
			}
		}
	}
	return methods
}

// methods are those by which a value satisfies the interface that it is made, or is printed.
func (e *effects) methods(v *ssa.MakeInterface) (list []*ssa.Function) {
	set := e.prog.MethodSets.MethodSet(v.X.Type())
	iface, _ := v.Type().Underlying().(*types.Interface)
	for i := range set.Len() {
		m := set.At(i)
		name := m.Obj().Name()
		printed := name == "Error" || name == "String" || name == "GoString" || name == "Format"
		if in, _, _ := types.LookupFieldOrMethod(iface, false, m.Obj().Pkg(), name); in != nil || printed {
			if f := e.prog.MethodValue(m); f != nil {
				list = append(list, f)
			}
		}
	}
	return list
}
