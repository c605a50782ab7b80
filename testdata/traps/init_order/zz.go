package main

import "fmt"

var y = func() int { return x }

var z = say("z", x*2)

var x = say("x", 4)

func init() {
	fmt.Println("init zz", x, z)
	defer func() { fmt.Println("recovered", recover()) }()
	var m map[string]int
	m["x"] = 1
}
