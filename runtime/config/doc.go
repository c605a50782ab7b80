// Package config reads the environment variable MARKGEN, which says what a marked program collects: comma-separated
// key[=value]. docs/markgen-variable.md has the keys.
//
//	c, trouble := config.Parse("collect=time+io,file=%a.%p.markgen")
//
// The runtime of a marked program (package perf) does what the Config says, or prints trouble and collects nothing. The
// command passes the variable on to programs, which may be of another version of markgen: it takes the few keys that it
// needs itself from among the others with Next, and leaves it to the program to judge these.
//
// The package links into marked programs, and what it imports can't have markers. So it imports syscall only.
package config
