// Package isolate measures what functions of an API cost, each without the cost of
// measuring others in it (US 9,027,000).
//
// A scenario is run once to see which functions run, and which of them are ever on one
// call stack. Then the functions are put into groups in which no two share a stack, and
// the scenario is run again for each group, with the markers of that group alone. What
// the passes gave is added up to one profile.
//
//	r, err := isolate.Run(ctx, scenario, isolate.Options{API: isolate.Exported(paths)})
//
// What is promised: the same pairs give the same groups, on any machine; of a function
// that calls itself the outermost calls are timed; what differs from pass to pass is said
// of each function, never averaged away; with a Store, what was done before an interrupt
// is done.
//
// Calls that a function makes on another goroutine are on another stack: they may be timed
// in the same pass, and the function's time has the cost of that in it.
package isolate
