package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/overlay"
	"github.com/markgen/markgen/profile/runfile"
)

// goTimeout is how long go test lets a test binary run unless -timeout says otherwise.
const goTimeout = 10 * time.Minute

// sayTimedOut says what to do of test binaries that passed markers for as long as -timeout lets them run: they may have been in time without.
// Of what hung, which another timeout does not help, the data end when it began to.
func sayTimedOut(e *cli.Env, b *overlay.Build, c *overlay.Collection) {
	timeout := goTimeout
	if text, ok := b.Command().Flag("timeout"); ok {
		timeout, _ = time.ParseDuration(text) // go has read it
	}
	files, _ := c.Files()
	if timeout <= 0 {
		return
	}
	var late []string
	for _, file := range files {
		if p, err := runfile.Read(file); err == nil && timeout-time.Duration(p.ElapsedNS) <= max(timeout/100, leastSlack) {
			late = append(late, p.App)
		}
	}
	if len(late) > 0 {
		e.Warn(fmt.Sprintf("%s: ran for as long as -timeout=%v lets a test binary, and takes longer marked than plain; give a longer -timeout, or mark less", strings.Join(late, ", "), timeout))
	}
}

// leastSlack is how long before the timeout the data of a binary that it ended may end; a hundredth
// of the timeout if that is longer. The data begin after testing's clock, and end with the last
// passage, which may be a while before on a busy machine.
const leastSlack = 200 * time.Millisecond
