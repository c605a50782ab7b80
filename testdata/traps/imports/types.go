package main

type kind int

const a, b kind = 1, 2

var names = map[kind]string{a: "a", b: "b"}
