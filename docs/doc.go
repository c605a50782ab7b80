// Package docs has no code. Its folder has the documentation, by kind (tutorial, howto, reference,
// explanation), and tests of it: they run every shell block of README.md and the pages, compare the
// output with the output on the page, and compare the flags and keys that the pages name with those
// of the commands.
//
// The fenced blocks of a page are:
//
//	```sh    run by bash -eu; the blocks of a page are one script, in a temporary directory of its own
//	```text  directly after a sh block: its output, stdout and stderr together
//	```go, ```yaml and ```json are excerpts and not run
//
// In a text block a line "…" matches any number of lines. Times, dates, process IDs and properties
// of the machine differ between runs and are masked; counts are not.
package docs
