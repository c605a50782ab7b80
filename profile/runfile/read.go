package runfile

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/codec"
)

// Read reads the data file of one run, which may have ended, been killed, or still be running (then
// it returns the data so far). For a profile file it returns the profile in it.
//
// It returns an error if the header can't be read. Damage further on is reported in Warnings, with
// file and offset, and sets Damaged; the profile has everything that is not damaged.
func Read(path string) (*profile.Profile, error) {
	f, info, err := open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	running, _ := Alive(f)
	return read(f, info.Size(), path, running)
}

// ReadFrom is like Read for size bytes at r. The name stands for the file in errors and warnings.
func ReadFrom(r io.ReaderAt, size int64, name string) (*profile.Profile, error) {
	return read(r, size, name, false)
}

func read(r io.ReaderAt, size int64, name string, alive bool) (*profile.Profile, error) {
	var sum Sum
	if err := sum.add(r, size, name, alive); err != nil {
		return nil, err
	}
	return sum.Finish(), nil
}

// ReadOpened is like Read for an open file. The name stands for the file in errors and warnings.
func ReadOpened(f *os.File, name string) (*profile.Profile, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	running, _ := Alive(f)
	return read(f, info.Size(), name, running)
}

// A Sum adds up the runs of data files and profile files. Its memory grows with the number of
// markers, not of files. The zero value is an empty sum. It must not be copied or used by several
// goroutines at once.
//
//	var sum runfile.Sum
//	for _, file := range files {
//		if err := sum.AddFile(file); err != nil { … }
//	}
//	p := sum.Profile()
type Sum struct {
	profile.Sum
	files    map[fileRun]string // which file each run came from
	scratch  scratch
	profiles codec.Decoder
	buf      bytes.Buffer // contents of a profile file
}

// A fileRun identifies a run; a copy of its file has the same.
type fileRun struct {
	app, run string
	start    int64 // ns since 1970
}

// AddFile adds the runs of a data file or profile file, as Read reads it. On error the sum is
// unchanged.
func (s *Sum) AddFile(path string) error {
	f, info, err := open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	running, _ := Alive(f)
	return s.add(f, info.Size(), path, running)
}

// add adds the file contents of size bytes at r.
func (s *Sum) add(r io.ReaderAt, size int64, name string, alive bool) error {
	var start [len(codec.Magic)]byte
	if n, _ := r.ReadAt(start[:], 0); n < len(start) || int64(n) > size || string(start[:]) != codec.Magic {
		return s.addRun(r, size, name, alive)
	}
	if uint64(size) > codec.MaxSize {
		return fmt.Errorf("%s: offset 0: a profile file of %d bytes, and %d is the most that is read", name, size, codec.MaxSize)
	}
	s.buf.Reset()
	if _, err := s.buf.ReadFrom(io.NewSectionReader(r, 0, size)); err != nil {
		return fmt.Errorf("%s: offset %d: %w", name, s.buf.Len(), err)
	}
	return s.profiles.AddTo(&s.Sum, s.buf.Bytes(), name)
}

// addRun adds the data file of a run.
func (s *Sum) addRun(from io.ReaderAt, size int64, name string, alive bool) error {
	in := &input{r: from, name: name, size: uint64(max(size, 0)), buf: s.scratch.buf}
	defer func() { s.scratch.buf = in.buf }()
	r, err := in.readRun(alive, s)
	if err != nil {
		return err
	}
	of := fileRun{r.App, r.Run, r.Start.UnixNano()}
	if other, ok := s.files[of]; ok {
		r.warn("is the same run as %s and is counted, too; give markgen one of them", other)
	} else {
		if s.files == nil {
			s.files = map[fileRun]string{}
		}
		s.files[of] = name
	}
	s.AddHead(r.Profile)
	return nil
}
