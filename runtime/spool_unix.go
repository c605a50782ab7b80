//go:build !markgen_off && (unix || js || wasip1)

package runtime

import "syscall"

// makeDir makes a directory, for its owner only, and those it is in; one that there is stays as it is.
func makeDir(dir string) (trouble string) {
	err := mkdir(dir)
	if err == syscall.ENOENT {
		if up := above(dir); up != "" {
			if trouble = makeDir(up); trouble != "" {
				return trouble
			}
			err = mkdir(dir)
		}
	}
	var st syscall.Stat_t
	if err == nil || syscall.Stat(dir, &st) == nil && st.Mode&syscall.S_IFMT == syscall.S_IFDIR { // EEXIST, or EROFS and others
		return ""
	}
	return err.Error()
}

func mkdir(dir string) error {
	for {
		if err := syscall.Mkdir(dir, 0o700); err != syscall.EINTR {
			return err
		}
	}
}

// above is the directory that a directory is in, "" if there is none.
func above(dir string) string {
	for i := len(dir) - 1; i > 0; i-- {
		if dir[i] == '/' {
			return dir[:i]
		}
	}
	return ""
}

// addByte makes a file a byte longer.
func addByte(path string) {
	fd, err := syscall.Open(path, syscall.O_WRONLY|syscall.O_CREAT|syscall.O_APPEND|syscall.O_CLOEXEC, 0o600)
	if err == nil {
		writeAll(fd, []byte{'+'})
		syscall.Close(fd)
	}
}
