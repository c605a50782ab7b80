//go:build !markgen_off

package perf

import (
	"sync/atomic"
	"syscall"
	"unsafe"

	"github.com/markgen/markgen/runtime/layout"
)

// seal ends the file with the checksums of its blocks. Other goroutines go on until the program
// exits, in the middle of a scope maybe, and counters go on counting; so the process first takes
// what it has mapped for itself, which leaves the file as it is at that moment. Where a system call
// fails there are no checksums, and nothing else is lost. The caller holds the lock.
//
//go:norace
//go:nocheckptr
func (f *openedFile) seal() {
	if !f.leave() {
		return
	}
	used := uintptr(atomic.LoadUint64(headerWord(layout.OffUsed)))
	file, err := syscall.Mmap(f.fd, 0, int(used), syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return
	}
	defer syscall.Munmap(file)
	b, err := syscall.Mmap(-1, 0, int(mostSums(used)), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		return
	}
	defer syscall.Munmap(b)
	size := fillSums(unsafe.Pointer(unsafe.SliceData(b)), file)
	if size == 0 || !f.fits(int64(used+size)) || !f.write(b[:size], int64(used)) {
		return
	}
	// Both words in one go: who is killed here has left both or none.
	var words [(layout.OffSums + 8 - layout.OffUsed) / 8]uint64
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&words)), unsafe.Sizeof(words)), file[layout.OffUsed:])
	words[0], words[len(words)-1] = uint64(used+size), uint64(size)
	if f.write(unsafe.Slice((*byte)(unsafe.Pointer(&words)), unsafe.Sizeof(words)), layout.OffUsed) {
		setHeader(layout.OffUsed, words[0]) // in memory, which is the process's own now
		setHeader(layout.OffSums, words[len(words)-1])
	}
}

// leave gives the process memory of its own in the place of the file that it has mapped, with what
// is in it, and so page by page as it is written to.
//
//go:norace
//go:nocheckptr
func (f *openedFile) leave() bool {
	for i := range tables {
		tables[i].keepPages()
		if tables[i].shared {
			return false
		}
	}
	at := int64(0)
	for _, p := range space.pieces {
		own, err := syscall.Mmap(f.fd, at, int(p.size), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE)
		if err != nil {
			return false
		}
		from := uintptr(unsafe.Pointer(unsafe.SliceData(own)))
		if _, _, e := syscall.Syscall6(syscall.SYS_MREMAP, from, p.size, p.size, mayMove|fixed, uintptr(p.p), 0); e != 0 {
			syscall.Munmap(own)
			return false
		}
		at += int64(p.size)
	}
	return true
}

// fits says whether the file has room up to end, and makes it if it can. Writing beyond the limit would raise SIGXFSZ.
//
//go:norace
func (f *openedFile) fits(end int64) bool {
	if end <= f.size {
		return true
	}
	var lim syscall.Rlimit
	err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &lim)
	return err == nil && uint64(lim.Cur) >= uint64(end) && reserve(f.fd, f.size, end-f.size) == nil
}

// write writes b at a place of the file.
//
//go:norace
func (f *openedFile) write(b []byte, at int64) bool {
	for {
		n, err := syscall.Pwrite(f.fd, b, at)
		if err != syscall.EINTR {
			return err == nil && n == len(b)
		}
	}
}
