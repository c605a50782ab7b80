package main

import (
	"context"
	"fmt"
)

// triggerKinds are the triggers added to the configuration, and their names in the table.
var triggerKinds = []struct{ add, about string }{
	{"pause=on:nothing", "that waits for another's end"},
	{"pause=after:24h", "that waits for a time"},
	{"stop=records:1000000000000", "that counts records"},
}

// triggers measures scopes that have nothing to do with the configured trigger against scopes
// without triggers, on one processor and on all at once.
func (b *bench) triggers(ctx context.Context) error {
	marked, err := b.compileProgram(ctx, "scope", "marked", b.markedTest())
	if err != nil {
		return err
	}
	processors := []int{1}
	if cores() > 1 {
		processors = append(processors, cores())
	}
	var sides []testBinary
	for _, n := range processors {
		sides = append(sides, marked.as(fmt.Sprintf("without-%d", n), n, inMemory))
		for i, kind := range triggerKinds {
			sides = append(sides, marked.as(fmt.Sprintf("trigger%d-%d", i, n), n, inMemory+","+kind.add))
		}
	}
	best, err := b.inWindows(ctx, "triggers", "", sides, "^BenchmarkFunctions$")
	if err != nil {
		return err
	}
	for k, n := range processors {
		each := best[k*(len(triggerKinds)+1):]
		for i, kind := range triggerKinds {
			with, without := each[i+1]["Functions"], each[0]["Functions"]
			b.record(fmt.Sprintf("one %s, on %d", kind.about, n), bar{}, with/without, fmt.Sprintf("%.1f ns, without %.1f", with, without))
		}
	}
	return nil
}
