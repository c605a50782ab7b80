package main

import (
	"fmt"
	"strings"
)

// random is a linear congruential generator (Knuth, MMIX): the log is the same on every machine.
type random uint64

func (r *random) next(n int) int {
	*r = *r*6364136223846793005 + 1442695040888963407
	return int(uint64(*r)>>33) % n
}

var (
	sections = []string{"shop", "blog", "help", "account", "api/v1", "api/v2"}
	subjects = []string{"list", "show", "search", "edit", "print", "history", "latest"}
	agents   = []string{"curl/8.5", `Mozilla "compatible" 5.0`, "bot", "Go-http-client/1.1"}
)

// generate makes the text of a log of n lines.
func generate(n int) string {
	var b strings.Builder
	r := random(1)
	for i := range n {
		//perf:mark garbage
		if r.next(500) == 0 {
			b.WriteString("-- log rotated --\n")
			continue
		}
		writeLine(&b, &r, i)
	}
	return b.String()
}

//perf:mark
func writeLine(b *strings.Builder, r *random, i int) {
	section, subject := r.next(len(sections)), r.next(len(subjects))
	ms := 2 + r.next(20)
	if section >= 4 && subject == 2 {
		ms += 40 + r.next(400) // searching through the interface is slow
	}
	fmt.Fprintf(b, "10.%d.%d.%d %d /%s/%s/%d %d", r.next(4), r.next(40), r.next(250), 1_700_000_000+i,
		sections[section], subjects[subject], r.next(30), ms)
	switch agent := agents[r.next(len(agents))]; {
	case strings.Contains(agent, `"`):
		fmt.Fprintf(b, " %q\n", agent)
	default:
		b.WriteString(" " + agent + "\n")
	}
}
