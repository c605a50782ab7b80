//go:build !markgen_off && (unix || js)

package runtime

import "syscall"

// dirSize is how many bytes the files of a directory have, those in directories within left out. When it is more
// than most, those that are left are not looked at.
func dirSize(dir string, most uint64) (size uint64) {
	fd, err := syscall.Open(dir, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return 0
	}
	defer syscall.Close(fd)
	buf := make([]byte, 8<<10)
	for {
		n, err := syscall.ReadDirent(fd, buf)
		if err == syscall.EINTR {
			continue
		}
		if err != nil || n <= 0 {
			return size
		}
		_, _, names := syscall.ParseDirent(buf[:n], -1, nil)
		for _, name := range names {
			var st syscall.Stat_t
			if syscall.Lstat(dir+"/"+name, &st) == nil && st.Mode&syscall.S_IFMT == syscall.S_IFREG {
				size += uint64(st.Size)
			}
			if size > most {
				return size
			}
		}
	}
}
