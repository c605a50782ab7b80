// Command panic leaves scopes by panics that are recovered further up: each scope ends once.
package main

import (
	"errors"
	"fmt"
)

// want func=4 func#1=4 func#1:if#1.then=3
func try(f func()) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("recovered %v", r)
		}
	}()
	f()
	return nil
}

// want func=1 for#1=3 if#1.then=1
func inLoop() {
	for i := range 5 {
		if i == 2 {
			panic(i)
		}
	}
}

// want func=3 if#1.then=1 if#1.else=2
func recursive(n int) {
	if n == 0 {
		panic(errors.New("bottom"))
	} else {
		recursive(n - 1)
	}
}

// want func=1 switch#1.case#1=1
func runtimeError(m map[string]int) {
	switch len(m) {
	case 0:
		m["x"] = 1
	}
}

// want func=1 func#1=1 for#1=1
func replaced() (r any) {
	defer func() {
		r = recover()
	}()
	for {
		defer panicking()
		panic("first")
	}
}

// want func=1
func panicking() { panic("second") }

// want func=1 for#1=2 func#1=2 func#1:func#1=2 func#1:if#1.then=1
func goesOn() (n int) {
	for i := range 2 {
		func() {
			defer func() { recover() }()
			if i == 0 {
				panic("left")
			}
			n++
		}()
		n += 10
	}
	return n
}

func main() {
	fmt.Println(try(inLoop), try(func() { recursive(2) }), try(func() { runtimeError(nil) }), try(func() {}))
	fmt.Println(replaced(), goesOn())
}
