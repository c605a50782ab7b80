package overlay

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"

	"github.com/markgen/markgen/internal/interrupt"
)

// Exit codes of a shell for programs that cannot be run.
const (
	exitNotExecutable = 126
	exitNotFound      = 127
	exitSignal        = 128 // plus the number of the signal that ended the program
)

// notStarted returns the error for a program that could not be started, with the name that the user
// gave.
func notStarted(name string, err error) error {
	if of := (*exec.Error)(nil); errors.As(err, &of) {
		err = of.Err
	} else if of := (*fs.PathError)(nil); errors.As(err, &of) {
		if of.Op == "chdir" {
			return err
		}
		err = of.Err
	}
	return fmt.Errorf("%s can't be run: %w; name a program that is there and may be run", name, err)
}

// runChild runs a program and returns its exit code, or 128+n if signal n ended it. Signals meant
// for the program reach it: the terminal sends its signals to the whole process group, and runChild
// forwards others. The signals do not end this process, which still has to process the data.
//
// The error is non-nil if the program could not be started.
func runChild(cmd *exec.Cmd) (int, error) {
	signals := make(chan os.Signal, 16)
	if list := interrupt.NotIgnored(forwarded...); len(list) > 0 {
		signal.Notify(signals, list...)
		defer signal.Stop(signals)
	}
	if err := cmd.Start(); err != nil {
		code := exitNotExecutable
		if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
			code = exitNotFound
		}
		return code, notStarted(cmd.Args[0], err)
	}
	ended := make(chan struct{})
	passed := make(chan struct{})
	go func() {
		defer close(passed)
		for {
			select {
			case s := <-signals:
				if !(fromTerminal(s) && inForeground()) {
					_ = cmd.Process.Signal(s) // fails if the program has just ended
				}
			case <-ended:
				return
			}
		}
	}()
	err := cmd.Wait()
	close(ended)
	<-passed
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		// The program ran, but copying its input or output failed.
		if cmd.ProcessState == nil {
			return exitNotExecutable, err
		}
	}
	return exitCode(cmd.ProcessState), nil
}
