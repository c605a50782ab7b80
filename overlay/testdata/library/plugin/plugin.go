// Command plugin is loaded by host.
package main

import "fmt"

func Greet(n int) {
	for i := range n {
		fmt.Println("hello", odd(i))
	}
}

func odd(i int) bool {
	if i%2 == 1 {
		return true
	}
	return false
}
