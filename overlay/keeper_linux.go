package overlay

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/markgen/markgen/profile/runfile"
	"github.com/markgen/markgen/runtime/layout"
)

// A keeper gives every process of a run that asks a data file in memory (memfd_create), and still
// has the data when the process has ended, however it ended. The file has no name by which others
// could open it, and it is sealed against shrinking: truncating it would kill the process with
// SIGBUS.
//
// A process connects to the keeper's socket and receives a descriptor. It is the only one for its
// open file description, and locked (flock), so the lock is released when the process ends. Package
// perf implements the process's side.
//
// The socket has an abstract name (unix(7)), so that processes of other users, and those with a
// different view of the file system, by chroot or a mount namespace, can connect, too. So can any
// other process. Therefore each side proves that it knows a secret in MARKGEN, which only processes
// of the run can read; the process proves it first, since its keeper may be gone and another
// process may have taken the name.
type keeper struct {
	dir      string // directory of the run
	name     string // of the socket, without the @ with which Go writes NUL
	ask      string // secret that a process sends
	answer   string // secret sent with the descriptor
	listener *net.UnixListener
	stopped  chan struct{}

	mu       sync.Mutex
	kept     []*keptFile
	without  int // ended processes without data whose files were removed from kept
	missing  int // processes that got a file and have no data in it, as of the last settle
	warnings []string

	traced  bool          // the processes record traces, which are drained
	wake    chan struct{} // signals that there is a file to drain
	drained chan struct{} // closed when draining has ended
}

// keptFile is the data file of one process.
type keptFile struct {
	f    *os.File
	path string // in the run directory; "" until there are data

	mu    sync.Mutex
	drain *drain // nil if the file is not drained
}

// mostKept is the maximum number of files of ended processes that stay in memory. In a run that
// starts thousands, older ones are moved to the directory.
const mostKept = 32

// mostServed is the maximum number of concurrent connections: any process may connect, and let the
// keeper wait.
const mostServed = 64

// secretLength is the length of the secrets that a process and the keeper exchange.
const secretLength = 32

func newKeeper(dir string, traced bool) (k *keeper, err error) {
	var random [8 + secretLength]byte
	if _, err := rand.Read(random[:]); err != nil {
		return nil, err
	}
	words := hex.EncodeToString(random[:])
	k = &keeper{dir: dir, name: "markgen-" + words[:16], ask: words[16:][:secretLength], answer: words[16+secretLength:],
		stopped: make(chan struct{}), traced: traced, wake: make(chan struct{}, 1), drained: make(chan struct{})}
	if k.listener, err = net.ListenUnix("unix", &net.UnixAddr{Net: "unix", Name: "@" + k.name}); err != nil {
		return nil, err
	}
	go k.serve()
	go k.drainAll()
	return k, nil
}

// key returns the value of the key keeper in MARKGEN.
func (k *keeper) key() string { return k.name + "." + k.ask + k.answer }

func (k *keeper) serve() {
	defer close(k.stopped)
	var all sync.WaitGroup
	defer all.Wait()
	served := make(chan struct{}, mostServed)
	for {
		c, err := k.listener.AcceptUnix()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil: // for example, no descriptors left
			time.Sleep(10 * time.Millisecond)
			continue
		}
		served <- struct{}{}
		all.Go(func() {
			_ = k.give(c) // a process that gets no descriptor creates a file in the directory
			c.Close()
			<-served
		})
	}
}

// give sends a new data file to the process at the other end.
func (k *keeper) give(c *net.UnixConn) error {
	if err := c.SetDeadline(time.Now().Add(time.Second)); err != nil {
		return err
	}
	var ask [secretLength]byte
	if _, err := io.ReadFull(c, ask[:]); err != nil {
		return err
	}
	if subtle.ConstantTimeCompare(ask[:], []byte(k.ask)) != 1 {
		return fs.ErrPermission
	}
	f, err := memoryFile()
	if err != nil {
		return err
	}
	theirs, err := os.OpenFile(ownPath(f), os.O_RDWR, 0)
	if err != nil {
		return errors.Join(err, f.Close())
	}
	defer theirs.Close()
	if err := unix.Flock(int(theirs.Fd()), unix.LOCK_EX); err != nil {
		return errors.Join(err, f.Close())
	}
	kept := &keptFile{f: f}
	if k.traced { // without draining, rings keep the newest records
		kept.drain, _ = newDrain(f, func() (*os.File, error) { return os.CreateTemp(k.dir, "trace-*.tmp") })
	}
	k.mu.Lock()
	k.kept = append(k.kept, kept)
	k.spill()
	k.mu.Unlock()
	select {
	case k.wake <- struct{}{}:
	default:
	}
	if _, _, err = c.WriteMsgUnix([]byte(k.answer), unix.UnixRights(int(theirs.Fd())), nil); err != nil {
		k.mu.Lock()
		k.kept = slices.DeleteFunc(k.kept, func(f *keptFile) bool { return f == kept })
		k.mu.Unlock()
		kept.close()
	}
	return err
}

// memoryFile creates a file in memory that can grow but not shrink.
func memoryFile() (*os.File, error) {
	const name = "markgen"
	flags := unix.MFD_CLOEXEC | unix.MFD_ALLOW_SEALING
	fd, err := unix.MemfdCreate(name, flags|unix.MFD_NOEXEC_SEAL)
	if err != nil { // MFD_NOEXEC_SEAL needs Linux 6.3
		fd, err = unix.MemfdCreate(name, flags)
	}
	if err != nil {
		return nil, os.NewSyscallError("memfd_create", err)
	}
	f := os.NewFile(uintptr(fd), name)
	if _, err := unix.FcntlInt(f.Fd(), unix.F_ADD_SEALS, unix.F_SEAL_SHRINK|unix.F_SEAL_SEAL); err != nil {
		return nil, errors.Join(os.NewSyscallError("fcntl", err), f.Close())
	}
	return f, nil
}

// ownPath returns a path by which this process and others of the user can open f.
func ownPath(f *os.File) string { return fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), f.Fd()) }

// ended reports whether the process that has the file has ended.
func (k *keptFile) ended() bool {
	if unix.Flock(int(k.f.Fd()), unix.LOCK_SH|unix.LOCK_NB) != nil {
		return false
	}
	return unix.Flock(int(k.f.Fd()), unix.LOCK_UN) == nil
}

// settle gives every file with data a name in the run directory.
func (k *keeper) settle() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.missing = k.without
	for _, f := range k.kept {
		if err := k.link(f); err != nil {
			return err
		}
		if f.path == "" {
			k.missing++
		}
	}
	return nil
}

// link creates a link to the descriptor under the name that the process would have used. It does
// nothing for a file without data.
func (k *keeper) link(f *keptFile) error {
	if f.path != "" {
		return nil
	}
	info, err := f.f.Stat()
	if err != nil {
		return err
	}
	app, pid, ok := runfile.Writer(f.f, info.Size(), "")
	if !ok {
		return nil
	}
	if app == "" || strings.ContainsRune(app, filepath.Separator) {
		app = "app"
	}
	first := filepath.Join(k.dir, app+"."+strconv.FormatUint(pid, 10)+layout.DataExt)
	link := func(path string) error { return os.Symlink(ownPath(f.f), path) }
	if whole, err := k.finishDrain(f, runfile.Used(f.f, info.Size(), "")); err != nil {
		return err
	} else if whole != "" {
		defer os.Remove(whole)
		link = func(path string) error { return os.Link(whole, path) }
	}
	path := first
	for n := 2; ; n++ {
		err := link(path)
		if err == nil {
			f.path = path
			return nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
		path = first + "." + strconv.Itoa(n)
	}
}

// spill moves files of ended processes to the directory, oldest first, if there are too many. If
// there is no space, they stay in memory.
func (k *keeper) spill() {
	if len(k.kept) <= mostKept {
		return
	}
	var rest []*keptFile
	for i, f := range k.kept {
		if len(rest)+len(k.kept)-i > mostKept && f.ended() && k.link(f) == nil && (f.path == "" || isFile(f.path) || copyData(f.path, f.f) == nil) {
			if f.path == "" {
				k.without++
			}
			f.close()
			continue
		}
		rest = append(rest, f)
	}
	k.kept = rest
}

// close stops the keeper and discards data that were not saved.
func (k *keeper) close() {
	k.listener.Close()
	<-k.stopped
	close(k.wake)
	<-k.drained
	for _, f := range k.kept {
		f.close()
	}
}

// close closes the file, and its drain if there is one.
func (f *keptFile) close() {
	f.mu.Lock()
	if f.drain != nil {
		f.drain.close()
		f.drain = nil
	}
	f.mu.Unlock()
	f.f.Close()
}
