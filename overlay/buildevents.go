package overlay

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
)

// buildEvents passes on go's output with -json. The compiler's messages about marked source name
// the marked copies, so for a package that does not build they are replaced with those of a build
// of the user's unmarked source.
type buildEvents struct {
	w io.Writer
	// original builds that source and returns go's output, and whether it builds.
	original func() (out []byte, builds bool)
	explain  func() (*explainer, error)

	asked    bool
	builds   bool
	messages map[string][][]byte // output lines of the original by go's name of the build
	held     map[string][][]byte // lines of builds that have not failed so far
	order    []string            // order of the builds in held
	explains *explainer          // nil until needed
	line     []byte              // incomplete line
}

func (e *buildEvents) Write(p []byte) (int, error) {
	e.line = append(e.line, p...)
	for {
		i := bytes.IndexByte(e.line, '\n')
		if i < 0 {
			return len(p), nil
		}
		line := bytes.Clone(e.line[:i+1])
		e.line = e.line[i+1:]
		if err := e.event(line); err != nil {
			return 0, err
		}
	}
}

// Close passes on what is left: warnings of builds that did not fail.
func (e *buildEvents) Close() error {
	for _, build := range e.order {
		if err := e.release(build); err != nil {
			return err
		}
	}
	e.order = nil
	_, err := e.w.Write(e.line)
	e.line = nil
	return err
}

// event handles a line.
func (e *buildEvents) event(line []byte) error {
	switch v := decodeEvent(line); v.Action {
	case "build-output":
		if e.held == nil {
			e.held = map[string][][]byte{}
		}
		if e.held[v.ImportPath] == nil {
			e.order = append(e.order, v.ImportPath)
		}
		e.held[v.ImportPath] = append(e.held[v.ImportPath], line)
		return nil
	case "build-fail":
		e.ask()
		if own := e.messages[v.ImportPath]; own != nil {
			delete(e.held, v.ImportPath)
			if err := e.write(own); err != nil {
				return err
			}
		} else {
			if err := e.release(v.ImportPath); err != nil {
				return err
			}
		}
	}
	_, err := e.w.Write(line)
	return err
}

// ask builds the original source, once.
func (e *buildEvents) ask() {
	if e.asked {
		return
	}
	e.asked, e.messages = true, map[string][][]byte{}
	out, builds := e.original()
	e.builds = builds
	for line := range bytes.Lines(out) {
		if v := decodeEvent(line); v.Action == "build-output" {
			e.messages[v.ImportPath] = append(e.messages[v.ImportPath], line)
		}
	}
}

// release passes on the held lines of a build, restored to the user's file names.
func (e *buildEvents) release(build string) error {
	lines := e.held[build]
	delete(e.held, build)
	if len(lines) > 0 && e.explains == nil {
		var err error
		if e.explains, err = e.explain(); err != nil {
			return err
		}
	}
	for i, line := range lines {
		v := decodeEvent(line)
		if v.Output == nil {
			continue
		}
		text := e.explains.explain(*v.Output)
		if text == *v.Output {
			continue
		}
		lines[i] = nil
		for text := range strings.Lines(text) {
			v.Output = &text
			event, err := json.Marshal(v)
			if err != nil {
				return err
			}
			lines[i] = append(append(lines[i], event...), '\n')
		}
	}
	return e.write(lines)
}

func (e *buildEvents) write(lines [][]byte) error {
	for _, line := range lines {
		if _, err := e.w.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// decodeEvent decodes an event of go's; Action is "" if the line is not an event.
func decodeEvent(line []byte) (v testEvent) {
	if json.Unmarshal(line, &v) != nil {
		return testEvent{}
	}
	return v
}

// eventful reports whether go prints events for buildEvents to process. The commands that -x and -n
// print are passed on unchanged.
func (b *Build) eventful() bool {
	return b.plain.Bool("json") && !b.plain.Bool("x") && !b.plain.Bool("n")
}

// events returns a buildEvents; plain returns the arguments of a build of the original source.
func (b *Build) events(ctx context.Context, w io.Writer, plain func() []string) *buildEvents {
	return &buildEvents{w: w, explain: b.explainer, original: func() ([]byte, bool) {
		cmd := goCommand(ctx, b.dir, b.o.Environ, plain()...)
		out, err := cmd.Output()
		return out, err == nil
	}}
}

// endEvents passes on the rest of the events and messages of a build.
func (b *Build) endEvents(e *buildEvents, held *heldMessages) error {
	wronged := e.builds && e.explains != nil // builds failed
	if err := e.Close(); err != nil {
		return err
	}
	if err := held.flush(); err != nil {
		return err
	}
	if wronged {
		e.explains.conclude()
	}
	return nil
}
