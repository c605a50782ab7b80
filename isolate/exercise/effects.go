package exercise

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/callgraph"
	"golang.org/x/tools/go/callgraph/vta"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

// An effects finds functions that have effects outside the process.
type effects struct {
	prog  *ssa.Program
	graph *callgraph.Graph
}

// findEffects builds the call graph of the packages and their dependencies. The possible targets of
// a call are determined by the types that flow to it (Sundaresan et al., Practical Virtual Method
// Call Resolution for Java, 2000): if all types that satisfy the interface were targets, everything
// that writes to an io.Writer would write to files.
func findEffects(pkgs []*packages.Package) *effects {
	prog, _ := ssautil.AllPackages(pkgs, ssa.InstantiateGenerics)
	prog.Build()
	return &effects{prog, vta.CallGraph(ssautil.AllFunctions(prog), nil)}
}

// outside reports whether a function itself has effects outside the process. Reading the time, the
// environment or properties of the process does not count.
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

// harmless are functions of os and syscall that affect only memory of this process, or inspect
// errors.
var harmless = map[string]bool{
	"Error": true, "Unwrap": true, "Is": true, "Timeout": true, "Temporary": true, "String": true, "Getenv": true,
	"LookupEnv": true, "Environ": true, "ExpandEnv": true, "Expand": true, "Getpid": true, "Getppid": true, "Getuid": true,
	"Getgid": true, "Getpagesize": true, "IsNotExist": true, "IsExist": true, "IsPermission": true, "IsTimeout": true,
	"IsPathSeparator": true, "NewSyscallError": true, "underlyingErrorIs": true, "underlyingError": true,
	"copyenv": true, "runtime_envs": true, "BytePtrFromString": true, "ByteSliceFromString": true, "Name": true, "Mode": true,
	"Perm": true, "IsDir": true, "IsRegular": true, "Type": true, "Size": true, "ModTime": true, "Sys": true, "Nano": true, "Unix": true,
	"Gettimeofday": true, "Getpgrp": true,
}

// touches reports whether a function of os or syscall may do more than compute: it has no body to
// inspect, as system calls, or is a method of a file.
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

// passed reports whether f calls functions that it gets as arguments. In the call graph such a
// function may call any function that is ever passed to it, so the functions passed in each call
// are followed instead, where they can be determined. The New function of a sync.Pool is assumed to
// only allocate.
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

// reaches returns the name of a function with outside effects that f may call, directly or not; ""
// if there is none.
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

// given returns the functions among the arguments of a call, and the methods of its arguments that
// satisfy an interface, or that package fmt calls to print a value.
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

// elements returns such methods of the elements of a variadic argument.
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

// methods returns the methods of a value that satisfy the interface it is converted to, or that
// print it.
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
