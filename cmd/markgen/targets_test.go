package main

import (
	"bytes"
	"testing"

	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/steer"
)

func TestTargets(t *testing.T) {
	for _, tt := range []struct {
		list           []steer.Target
		code           int
		stdout, stderr string
	}{
		{nil, cli.Failure, "", "markgen ctl: no marked process found that you may steer; start one with MARKGEN=file=…\n"},
		{
			[]steer.Target{
				{PID: 7, Command: "./shop -v", Status: steer.Status{App: "shop", PID: 1, State: steer.Paused, File: "/var/lib/shop.data"}},
				{PID: 4711, Command: "/bin/a\x1bb", Status: steer.Status{App: "ab", PID: 4711, State: steer.Profiling, File: "/memfd:markgen (deleted)"}},
			},
			cli.OK,
			" pid  app   state      data                command\n" +
				"   7  shop  paused     /var/lib/shop.data  ./shop -v\n" +
				"4711  ab    profiling  in memory           /bin/a\ufffdb\n",
			"",
		},
	} {
		var stdout, stderr bytes.Buffer
		env := (&cli.Env{Stdout: &stdout, Stderr: &stderr}).Running(program, cmdCtl)
		if code := writeTargets(env, tt.list); code != tt.code || stdout.String() != tt.stdout || stderr.String() != tt.stderr {
			t.Errorf("exit code %d\n%s%s", code, stdout.String(), stderr.String())
		}
	}
}
