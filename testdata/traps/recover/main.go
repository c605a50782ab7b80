// Command recover recovers in all the places where recover works and where it does not: a frame or a
// closure that markers add must not change which is which.
package main

import (
	"errors"
	"fmt"
	"runtime"
)

func try(name string, f func()) {
	defer func() { fmt.Println(name, "outer:", recover()) }()
	f()
	fmt.Println(name, "went on")
}

func direct() {
	defer recover()
	panic("direct")
}

func inDeferred() {
	defer func() { fmt.Println("got", recover()) }()
	panic("inDeferred")
}

func inHelper() {
	defer func() { helper() }()
	panic("inHelper")
}

func helper() { fmt.Println("helper got", recover()) }

func deferredHelper() {
	defer helper()
	panic("deferredHelper")
}

type t struct{}

func (t) method()   { fmt.Println("method got", recover()) }
func (*t) pointer() { fmt.Println("pointer got", recover()) }

type iface interface{ method() }

func deferredMethod() {
	defer t{}.method()
	panic("method")
}

func deferredInterface() {
	var i iface = &t{}
	defer i.method()
	panic("interface")
}

func deferredValue() {
	f := (&t{}).pointer
	defer f()
	panic("value")
}

func deferredGeneric() {
	defer generic[int]()
	panic("generic")
}

func generic[T any]() {
	if r := recover(); r != nil {
		fmt.Printf("%T got %v\n", *new(T), r)
	}
}

func inLoop() (n int) {
	defer func() {
		for range 2 {
			if r := recover(); r != nil {
				n++
				fmt.Println("loop got", r)
			}
		}
	}()
	panic("inLoop")
}

func inBranch() {
	defer func() {
		if true {
			switch {
			default:
				{
					fmt.Println("branch got", recover())
				}
			}
		}
	}()
	panic("inBranch")
}

func inRange() {
	defer func() {
		for range func(yield func() bool) { yield() } {
			fmt.Println("range body got", recover())
		}
	}()
	panic("inRange")
}

func inArgument() {
	defer fmt.Println("argument got", recover())
	panic("inArgument")
}

func result() (s string, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = errors.Join(fmt.Errorf("%v", r), err)
		}
	}()
	for i := 0; ; i++ {
		s += fmt.Sprint(i)
		if i == 2 {
			panic(fmt.Sprint("result ", i))
		}
	}
}

func nested() {
	defer func() {
		fmt.Println("outermost got", recover())
	}()
	defer func() {
		defer func() { fmt.Println("inner got", recover()) }()
		panic("from deferred")
	}()
	panic("nested")
}

func replaced() {
	defer func() { fmt.Println("last", recover()) }()
	defer func() { panic("new") }()
	panic("old")
}

func goexit() {
	done := make(chan bool)
	go func() {
		defer close(done)
		defer func() { fmt.Println("after Goexit", recover()) }()
		defer func() { fmt.Println("recovered", recover()) }()
		defer runtime.Goexit()
		panic("before Goexit")
	}()
	<-done
}

func assigned() {
	defer func() {
		var r any
		if r = recover(); r == nil {
			return
		}
		x, ok := r.(error)
		fmt.Println("runtime error", ok, x)
	}()
	var m map[string]int
	m["a"]++
}

var recovers = func() { fmt.Println("variable got", recover()) }

func deferredVariable() {
	defer recovers()
	panic("variable")
}

func again(n int) (s string) {
	defer func() {
		if r := recover(); r != nil && n < 3 {
			s = fmt.Sprint(r, " ", again(n+1))
		}
	}()
	panic(fmt.Sprint("p", n))
}

func main() {
	try("direct", direct)
	try("inDeferred", inDeferred)
	try("inHelper", inHelper)
	try("deferredHelper", deferredHelper)
	try("method", deferredMethod)
	try("interface", deferredInterface)
	try("value", deferredValue)
	try("generic", deferredGeneric)
	try("inLoop", func() { fmt.Println(inLoop()) })
	try("inBranch", inBranch)
	try("inRange", inRange)
	try("inArgument", inArgument)
	try("nested", nested)
	try("replaced", replaced)
	try("assigned", assigned)
	try("variable", deferredVariable)
	goexit()
	fmt.Println(result())
	fmt.Println(again(0))
	fmt.Println(recover())
}
