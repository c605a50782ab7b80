package main

import "os"

//perf:mark
func main() {
	run(os.Args)
	//perf:mark all arguments
	for _, a := range os.Args {
		run([]string{a})
	}
}

//perf:mark read everything size=len(args) group=io sample=1:10
func run(args []string) (n int) {
	//perf:begin first
	n++

	//perf:point middle
	n++
	//perf:end first

	//perf:begin second size=n label=string(rune(n))
	for range args {
		if n > 3 {
			return
		}
		//perf:mark
		if n > 2 {
			break
		}
	}
	//perf:end second
	//perf:pause
	n++
	//perf:resume
	return n
}

//perf:mark count
func counted() {}

func unmarked() int { return 1 }

func literal() {
	//perf:mark
	defer func() {
		unmarked()
		//perf:begin deferred
		counted()
		//perf:end deferred
	}()
}
