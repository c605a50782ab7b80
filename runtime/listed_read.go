//go:build !markgen_off && !plan9

package runtime

import "syscall"

// readAll reads a file, mostListed bytes of it at most.
func readAll(path string) (text []byte, trouble string) {
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, err.Error()
	}
	for {
		if len(text) == cap(text) {
			text = append(text, 0)[:len(text)]
		}
		n, err := syscall.Read(fd, text[len(text):cap(text)])
		switch {
		case err == syscall.EINTR:
			continue
		case err != nil:
			trouble = err.Error()
		case n > 0 && len(text)+n <= mostListed:
			text = text[:len(text)+n]
			continue
		case n > 0:
			trouble = "it is too long"
		}
		syscall.Close(fd)
		return text, trouble
	}
}
