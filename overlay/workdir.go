package overlay

import "os"

// workDir begins the names of directories for what a process has built and runs as long as it lives.
const workDir = "markgen-work-"

// A WorkDir is a directory for what this process needs as long as it lives, such as programs that it has built.
type WorkDir struct {
	Path string

	held *os.File // nil: not locked
}

// NewWorkDir makes one below base, and removes those there of processes that were killed. The caller closes it.
func NewWorkDir(base string) (*WorkDir, error) {
	sweep(base, workDir, func(string) bool { return true })
	path, err := os.MkdirTemp(base, workDir)
	if err != nil {
		return nil, err
	}
	return &WorkDir{path, holdDir(path)}, nil
}

// Close removes the directory with all that is in it. It may be called of nil, and again.
func (d *WorkDir) Close() error {
	if d == nil || d.Path == "" {
		return nil
	}
	err := os.RemoveAll(d.Path)
	if d.held != nil {
		d.held.Close()
	}
	d.Path = ""
	return err
}
