// Command runtime_caller looks at its own stack: names, files and lines of functions, literals, loops and
// deferred calls must be those of the source.
package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
)

func here() string {
	pc, file, line, ok := runtime.Caller(1)
	return fmt.Sprintf("%s %s:%d %t", runtime.FuncForPC(pc).Name(), filepath.Base(file), line, ok)
}

func stack() string {
	pcs := make([]uintptr, 20)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	var out []string
	for {
		f, more := frames.Next()
		if strings.HasPrefix(f.Function, "main.") {
			out = append(out, fmt.Sprintf("%s:%d", f.Function, f.Line))
		}
		if !more {
			return strings.Join(out, " < ")
		}
	}
}

type t struct{ n int }

func (v t) value() string    { return stack() }
func (v *t) pointer() string { return v.value() }

func leaf(n int) string { return here() }

func loops(n int) (out []string) {
	for i := range n {
		if i%2 == 0 {
			out = append(out, here())
		} else {
			func() {
				out = append(out, here())
				defer func() {
					out = append(out, here(), stack())
				}()
			}()
		}
	}
	for range func(yield func() bool) { yield() } {
		out = append(out, stack())
	}
	return
}

func recursive(n int) string {
	if n == 0 {
		return stack()
	}
	return recursive(n - 1)
}

var variable = func() string {
	return func() string { return stack() }()
}

func fails() (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v at %s", r, stack())
		}
	}()
	var p *t
	return errors.New(fmt.Sprint(
		1,
		p.n, // the line of the fault
	))
}

func traced() (s string) {
	defer func() {
		recover()
		for _, l := range strings.Split(string(debug.Stack()), "\n") {
			if strings.Contains(l, "main.go:") {
				l = l[strings.LastIndex(l, "/")+1:]
				s += strings.Fields(l)[0] + " "
			}
		}
	}()
	for i := 0; ; i++ {
		if i == 3 {
			panic("at three")
		}
	}
}

func entry() string {
	pc, _, _, _ := runtime.Caller(0)
	f := runtime.FuncForPC(pc)
	_, line := f.FileLine(f.Entry())
	return fmt.Sprint(f.Name(), " starts at ", line)
}

func main() {
	fmt.Println(here(), leaf(1))
	v := &t{1}
	fmt.Println(v.pointer())
	fmt.Println(v.value())
	for _, s := range loops(3) {
		fmt.Println(s)
	}
	fmt.Println(recursive(3))
	fmt.Println(variable())
	fmt.Println(fails())
	fmt.Println(traced())
	fmt.Println(entry())
	func() {
		func() { fmt.Println(stack()) }()
		func() { fmt.Println(stack()) }()
	}()
	done := make(chan string)
	go func() { done <- stack() }()
	fmt.Println(<-done)
	f := v.value
	fmt.Println(strings.Count(f(), "<"))
	init_()
}

func init_() {
	defer fmt.Println("deferred", stack())
	defer func() { fmt.Println(stack()) }()
}
