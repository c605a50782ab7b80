package overlay

import "os"

// workDir is the prefix of the names of work directories.
const workDir = "markgen-work-"

// A WorkDir is a directory for files that this process needs as long as it lives, such as programs
// that it has built.
type WorkDir struct {
	Path string

	held *os.File // nil if not locked
}

// NewWorkDir creates a WorkDir below base, and removes those left there by killed processes. The
// caller must close it.
func NewWorkDir(base string) (*WorkDir, error) {
	sweep(base, workDir, func(string) bool { return true })
	path, err := os.MkdirTemp(base, workDir)
	if err != nil {
		return nil, err
	}
	return &WorkDir{path, holdDir(path)}, nil
}

// Close removes the directory and its content. It may be called on nil, and more than once.
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
