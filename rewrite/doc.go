// Package rewrite turns Go source into marked Go source.
//
// Load parses the files of a unit, Find reads the directives and finds the
// points, and one of two writers plants the markers:
//
//	u, err := rewrite.Load("example.com/shop", sources)
//	err = u.Find(rewrite.Options{All: true, Inline: true})
//	u.SetIDs(ids)                          // from package registry
//	files, err := u.Overlay(rewrite.Overlay{Runtime: "markgen/perf"})
//
// # One function, from source to both outputs
//
// The source:
//
//	func parse(s string) int {
//		n := 0
//		for _, r := range s {
//			if r == ',' {
//				n++
//			}
//		}
//		return n
//	}
//
// The walker (find.go, walk.go) goes through it once. It makes three points,
//
//	func    example.com/shop.parse
//	loop    example.com/shop.parse:for#1
//	branch  example.com/shop.parse:if#1.then
//
// and leaves the plan in a function: its own point; the events, in source order,
//
//	OpEnter for#1         after the { of for      slot 1
//	OpEnter if#1.then     after the { of if       slot 2
//	OpExit  if#1.then     before the } of if
//	OpExit  for#1         before the } of for
//
// and its returns, with the scopes that are open at each: here one, with parse.
// A writer only decides how an event is written.
//
// Package inplace inserts readable lines into source that people keep, and takes
// them out again:
//
//	func parse(s string) int {
//		var perfs [3]perf.Scope
//		if perf.On {
//			defer perf.Close(perfs[:])
//		}
//		perfs[0].Enter(&perfmarks.parse)
//		n := 0
//		for _, r := range s {
//			perfs[1].Enter(&perfmarks.parseFor1)
//			…
//
// Before Overlay, Find has chosen a form (form.go has the rule). parse has a loop,
// and nobody can see a copy of its body, so it is a twin. Overlay (overlay.go,
// open.go) edits text within the original lines, so that line numbers do not
// change. Shortened, and with its long lines broken:
//
//	func parse(s string) int { if m[0].Off&perf.Closed == 0 { perf.Begin(&m[0]);
//		n := 0
//		for _, r := range s { perf.Begin(&m[1]);
//			if r == ',' { perf.Begin(&m[2]);
//				n++
//			; perf.End(&m[2]); }
//		; perf.End(&m[1]); }
//		 perf.End(&m[0]); return n
//	 };
//	/*line :3:27*/
//		n := 0
//		for _, r := range s {
//			…
//
// The package works on syntax alone: nothing is type-checked, no file is read
// or written, and no process is started.
package rewrite
