// Package config reads .markgen.yaml, the file at the module root that says which functions, loops
// and branches become markers when everything is marked, how often they are timed, and which group
// they belong to.
//
//	include:                     # what becomes a marker; everything if left out
//	  names: ["*/parse.*"]
//	  kinds: [func, loop]
//	exclude:                     # and what does not
//	  names: ["*.String", "*.init*"]
//	  groups: [debug]
//	group:
//	  "*/db.*": database         # the first pattern that matches a name counts
//	sample:
//	  "*.(*Lexer).Next": 1:100   # time one scope in a hundred
//
//	c, err := config.Parse(config.FileName, text)
//	err = unit.Find(rewrite.Options{All: true, Keep: c.Keep, Adjust: c.Adjust})
//
// In patterns * matches any text, including slashes and dots, and ? matches one byte; all other
// characters match themselves. A pattern must match the whole name, as in the keys only and skip of
// MARKGEN.
//
// A directive in the source takes precedence: a point with //perf:mark is marked even if it is
// excluded, and keeps its own sample and group.
package config
