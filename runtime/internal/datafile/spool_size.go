//go:build unix || js

package datafile

import "syscall"

// maxSized is the number of files of a spool whose sizes are read to estimate its total.
const maxSized = 64

// dirSize returns the total size of the files in a directory, without subdirectories. With many
// files it is an estimate from some of them: a process should not start more slowly because nobody
// has emptied the spool.
func dirSize(dir string) (size uint64) {
	var st syscall.Stat_t
	fd, e := OpenFD(dir, syscall.O_RDONLY, &st)
	if e != 0 {
		return 0
	}
	defer syscall.Close(fd)
	buf := make([]byte, 32<<10)
	var names []string // in an order unrelated to their sizes
	for {
		n, err := syscall.ReadDirent(fd, buf)
		if errno(err) == syscall.EINTR {
			continue
		}
		if n <= 0 {
			break
		}
		_, _, names = syscall.ParseDirent(buf[:n], -1, names)
	}
	sized := min(len(names), maxSized)
	for i := range sized {
		if syscall.Lstat(dir+"/"+names[i*len(names)/sized], &st) == nil && isKind(&st, syscall.S_IFREG) {
			size += uint64(st.Size)
		}
	}
	if sized < len(names) {
		size = uint64(float64(size) * float64(len(names)) / float64(sized))
	}
	return size
}
