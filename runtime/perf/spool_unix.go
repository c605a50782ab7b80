//go:build !markgen_off && (unix || js || wasip1)

package perf

import "syscall"

// makeDir makes a directory, for its owner only, and those it is in; one that there is stays as it is. made is how many
// it made.
func makeDir(dir string) (made int, trouble string) {
	err := mkdir(dir)
	if err == syscall.ENOENT {
		if up := above(dir); up != "" {
			if made, trouble = makeDir(up); trouble != "" {
				return made, trouble
			}
			err = mkdir(dir)
		}
	}
	if err == nil {
		return made + 1, ""
	}
	var st syscall.Stat_t
	if syscall.Lstat(dir, &st) == nil && othersMade(&st) {
		return made, "a link or pipe of another user"
	}
	if syscall.Stat(dir, &st) == nil && isKind(&st, syscall.S_IFDIR) { // EEXIST, or EROFS and others
		return made, ""
	}
	return made, err.Error()
}

// dropDirs removes a directory and those it is in, n in all, of which none has anything else.
func dropDirs(dir string, n int) {
	for ; n > 0 && syscall.Rmdir(dir) == nil; n-- {
		dir = above(dir)
	}
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

// addByte makes a file in a spool a byte longer, or makes it. Others may be able to write in the spool: what is no
// regular file, or has another name somewhere else, is left alone.
func addByte(path string) {
	var st syscall.Stat_t
	fd, err := openFD(path, syscall.O_WRONLY|syscall.O_CREAT|syscall.O_APPEND|noFollow, &st)
	if err != nil {
		return
	}
	if isKind(&st, syscall.S_IFREG) && st.Nlink == 1 {
		writeAll(fd, []byte{'+'})
	}
	syscall.Close(fd)
}
