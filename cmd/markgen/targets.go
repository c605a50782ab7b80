package main

import (
	"errors"
	"strconv"

	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/report"
	"github.com/markgen/markgen/steer"
)

// withoutTarget lists the possible target processes, for a command without one. If the system
// cannot list them, it reports a usage error.
func withoutTarget(env *cli.Env) int {
	list, ok := steer.Targets()
	if !ok {
		return env.Wrong("no target is given: a process ID or a data file")
	}
	return writeTargets(env, list)
}

func writeTargets(env *cli.Env, list []steer.Target) int {
	if len(list) == 0 {
		return env.Fail(errors.New("no marked process found that you may steer; start one with MARKGEN=file=…"))
	}
	columns := []report.Column{
		{Name: "pid"}, {Name: "app", Left: true}, {Name: "state", Left: true},
		{Name: "data", Left: true, Shorten: true, Rank: 1}, {Name: "command", Left: true, Shorten: true, Rank: 2},
	}
	for _, t := range list {
		data := t.File
		if t.InMemory() {
			data = "in memory"
		}
		for i, cell := range []string{strconv.Itoa(t.PID), t.App, t.State.String(), data, t.Command} {
			columns[i].Cells = append(columns[i].Cells, cell)
		}
	}
	width, color := env.Terminal(env.Stdout)
	if err := report.WriteTable(env.Stdout, columns, report.Options{Width: width, Color: color}); err != nil {
		return env.Fail(err)
	}
	return cli.OK
}
