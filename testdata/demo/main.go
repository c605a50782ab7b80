// Command demo reads an access log and says which parts of a site are slow: how often each page was
// asked for, from which networks, and how long the slowest tenth took.
//
// The log is made up by the program itself and always the same, so the output is too. It is a program to
// look at with markers: some functions are called often and cost little, one is called rarely and costs
// much, one gets slower as it goes, and two do the same in different ways.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	lines := flag.Int("lines", 240_000, "length of the log")
	workers := flag.Int("workers", 4, "goroutines that parse")
	top := flag.Int("top", 5, "pages to show")
	flag.Parse()
	if *lines < 0 || *workers < 1 {
		fmt.Fprintln(os.Stderr, "demo: -lines must not be negative, and at least one worker is needed")
		os.Exit(2)
	}

	//perf:begin generate
	log := generate(*lines)
	//perf:end generate

	//perf:begin analyse
	site, bad := analyse(log, *workers)
	//perf:end analyse

	fmt.Printf("%d lines, %d not understood, %d pages\n", *lines, bad, site.pages())
	for _, p := range site.slowest(*top) {
		fmt.Printf("%8d requests  median %4d ms  slowest tenth %4d ms  %s\n", p.requests, p.median, p.slowest, p.path)
	}
	fmt.Println("by network:")
	for _, n := range site.networks() {
		fmt.Printf("%8d requests  %s\n", n.requests, n.name)
	}
	fmt.Println("by folder:")
	printFolders(os.Stdout, site.folders, 2)
}
