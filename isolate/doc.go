// Package isolate measures the cost of the functions of an API, each without the overhead of
// measuring others within it (US 9,027,000).
//
// A scenario is run once to see which functions run, and which of them are ever on the same call
// stack. Then the functions are divided into groups in which no two share a stack, and the scenario
// is run again for each group, with only that group's markers on. The data of these passes are
// added up to one profile.
//
//	r, err := isolate.Run(ctx, scenario, isolate.Options{API: isolate.Exported(paths)})
//
// The package promises that the same pairs give the same groups on any machine; that of a recursive
// function the outermost calls are timed; that differences between passes are reported for each
// function, never averaged away; and that with a Store the passes made before an interrupt are not
// repeated.
//
// Calls that a function makes on another goroutine are on another stack: they may be timed in the
// same pass, and the function's time then includes that overhead.
package isolate
