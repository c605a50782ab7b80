// Package docs has no code. Its folder holds the pages of the documentation, one subject each, and the test that
// keeps them true: every shell block of README.md and of the pages is run, what a page says that a command prints
// is compared with what it prints, and the flags and keys that the pages name are compared with those there are.
//
// How a page is written for that:
//
//	```sh    is run by bash -eu; the blocks of a page are one script, in a scratch directory of its own
//	```text  right behind a sh block is what the block prints, stdout and stderr together
//	```go, ```yaml and ```json are excerpts, and not run
//
// In a text block a line "…" stands for any number of lines. Times, dates, process IDs and the names of the machine
// differ between runs and are masked; counts are not.
package docs
