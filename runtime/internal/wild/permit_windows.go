package wild

import (
	"syscall"

	"github.com/markgen/markgen/runtime/internal/lite"
	"github.com/markgen/markgen/runtime/layout"
)

// A Permit lets a process collect: it has one of MaxProcesses files in a directory of the user
// open, without sharing, so that no other process can open it. The file is closed when the process
// ends, however it ends. The zero Permit has no file.
type Permit struct{ file syscall.Handle }

// sharingViolation is the error for a file that another process has open without sharing
// (ERROR_SHARING_VIOLATION).
const sharingViolation = syscall.Errno(32)

// Acquire opens a file. It returns layout.WildPicked, or another of layout.Wild…, the reason why it
// cannot.
func (p *Permit) Acquire() (refused uint64) {
	temp, ok := syscall.Getenv("TEMP")
	if !ok || temp == "" {
		return layout.WildNoPlace
	}
	dir := temp + `\markgen-wild`
	syscall.Mkdir(dir, 0o700)
	for n := uint64(1); n <= MaxProcesses; n++ {
		name, err := syscall.UTF16PtrFromString(string(lite.AppendUint([]byte(dir+`\`), n)))
		if err != nil {
			return layout.WildNoPlace
		}
		h, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, 0, nil, syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
		if err == nil {
			p.file = h
			return layout.WildPicked
		}
		if err != sharingViolation {
			return layout.WildNoPlace
		}
	}
	return layout.WildFull
}

// Release closes the file, if one is open.
func (p *Permit) Release() {
	if p.file != 0 {
		syscall.CloseHandle(p.file)
	}
	p.file = 0
}
