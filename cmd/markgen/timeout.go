package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/overlay"
	"github.com/markgen/markgen/profile/runfile"
)

// goTimeout is go test's default for -timeout.
const goTimeout = 10 * time.Minute

// sayTimedOut warns about test binaries that executed markers until the end of -timeout: without
// markers they might have ended in time. It does not warn about tests that hung, whose data end
// when they began to hang, since a longer timeout would not help.
func sayTimedOut(e *cli.Env, b *overlay.Build, c *overlay.Collection) {
	timeout := goTimeout
	if text, ok := b.Command().Flag("timeout"); ok {
		timeout, _ = time.ParseDuration(text) // go has already validated it
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

// leastSlack is how long before the timeout the data of a binary killed by it may end; it is a
// hundredth of the timeout if that is longer. The data begin after testing's clock starts, and end
// with the last executed marker, which may be earlier on a busy machine.
const leastSlack = 200 * time.Millisecond
