package main

import (
	"bytes"
	"io"
	"os"
	"slices"
	"sync"
)

// A replay gives every run of a program the same standard input: a file from its original offset,
// or the data that the first run read from a pipe. A terminal is shared by all runs.
type replay struct {
	in    io.Reader // nil if there is none
	start int64     // original offset of a file

	mu   sync.Mutex
	kept []byte // data read from the pipe
	used bool   // there was a first run
}

func newReplay(in io.Reader) *replay {
	r := &replay{in: in}
	if isRegular(in) {
		r.start, _ = in.(*os.File).Seek(0, io.SeekCurrent)
	}
	return r
}

func isRegular(r io.Reader) bool { return isMode(r, func(m os.FileMode) bool { return m.IsRegular() }) }

// isDevice reports whether r is a terminal, or the null device.
func isDevice(r io.Reader) bool {
	return isMode(r, func(m os.FileMode) bool { return m&os.ModeCharDevice != 0 })
}

func isMode(r io.Reader, is func(os.FileMode) bool) bool {
	f, ok := r.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && is(info.Mode())
}

// open returns standard input for one more run; done must be called when the run has ended.
func (r *replay) open() (in io.Reader, done func(), err error) {
	nothing := func() {}
	switch {
	case r.in == nil || isDevice(r.in):
		return r.in, nothing, nil
	case isRegular(r.in):
		_, err = r.in.(*os.File).Seek(r.start, io.SeekStart)
		return r.in, nothing, err
	case r.used:
		r.mu.Lock()
		defer r.mu.Unlock()
		return bytes.NewReader(slices.Clone(r.kept)), nothing, nil
	}
	r.used = true
	from, to, err := os.Pipe()
	if err != nil {
		return nil, nothing, err
	}
	go r.copy(to)
	return from, func() { from.Close() }, nil
}

// copy copies data from the pipe to a run. The run does not wait for it, so a pipe that is never
// closed, and that the program does not read, blocks nothing.
func (r *replay) copy(to *os.File) {
	defer to.Close()
	buf := make([]byte, 64<<10)
	for {
		n, err := r.in.Read(buf)
		r.mu.Lock()
		r.kept = append(r.kept, buf[:n]...)
		r.mu.Unlock()
		if err != nil {
			return
		}
		if _, err := to.Write(buf[:n]); err != nil {
			return // the run has ended
		}
	}
}
