// Package config reads the environment variable MARKGEN, which says what a marked program collects: comma-separated
// key[=value]. docs/reference/markgen-variable.md has the keys.
//
//	c, problem := config.Parse("collect=time+io,file=%a.%p.markgen")
//
// The runtime of a marked program (package perf) does what the Config says, or prints problem and
// collects nothing. The command passes the variable on to programs, which may use another version
// of markgen: with Next it extracts the few keys that it needs itself, and leaves checking the
// others to the program.
//
// The package is linked into marked programs, and its imports can't have markers. So it imports
// only syscall and unsafe.
package config
