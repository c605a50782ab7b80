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

// A keeper gives every process of a run that asks for one a data file in
// memory (memfd_create), and has it when the process is gone, however that came
// to be. The file has no name that others could open it by, and it is sealed: it
// grows but can't be cut off, which would kill the process by SIGBUS.
//
// A process connects to the keeper's socket and is sent a descriptor. It is the
// only one of its open file description, and locked (flock), so that the lock
// ends with the process. Package perf has the other end.
//
// The socket has an abstract name (unix(7)), which processes of other users, and
// those that see other files, by chroot or a mount namespace, can connect to, too.
// Anybody can. So each end shows the other that it knows what is in MARKGEN, which
// only processes of the run can read: the process first, since its keeper may be
// gone and somebody else have taken the name.
type keeper struct {
	dir      string // of the run
	name     string // of the socket, without the @ that Go has for the NUL
	ask      string // what a process sends
	answer   string // what it is sent with the descriptor
	listener *net.UnixListener
	stopped  chan struct{}

	mu       sync.Mutex
	kept     []*keptFile
	without  int // processes without data whose files are not among kept any more
	missing  int // processes that were given a file and have no data in it, at the last settle
	warnings []string

	traced  bool          // rings of trace records are drained
	wake    chan struct{} // there is a file to drain
	drained chan struct{} // draining has ended
}

// keptFile is the data file of one process.
type keptFile struct {
	f    *os.File
	path string // in the directory of the run; "" until there are data

	mu    sync.Mutex
	drain *drain // nil where nothing is drained
}

// mostKept is how many files of processes that have ended stay in memory. Those
// of a run that starts thousands move to the directory.
const mostKept = 32

// mostServed is how many processes are served at once: anybody may connect, and be waited for.
const mostServed = 64

// secretLength is how long the words are that a process and the keeper show each other.
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

// key is the value of the key keeper in MARKGEN.
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
		case err != nil: // out of descriptors, say
			time.Sleep(10 * time.Millisecond)
			continue
		}
		served <- struct{}{}
		all.Go(func() {
			_ = k.give(c) // a process that gets nothing makes a file in the directory
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
	if k.traced { // without, rings keep the newest records
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

// memoryFile makes a file that can grow and not shrink.
func memoryFile() (*os.File, error) {
	const name = "markgen"
	flags := unix.MFD_CLOEXEC | unix.MFD_ALLOW_SEALING
	fd, err := unix.MemfdCreate(name, flags|unix.MFD_NOEXEC_SEAL)
	if err != nil { // the flag is of Linux 6.3
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

// ownPath is a name by which this process and others of the user can open f.
func ownPath(f *os.File) string { return fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), f.Fd()) }

// ended reports whether the process that has the file is gone.
func (k *keptFile) ended() bool {
	if unix.Flock(int(k.f.Fd()), unix.LOCK_SH|unix.LOCK_NB) != nil {
		return false
	}
	return unix.Flock(int(k.f.Fd()), unix.LOCK_UN) == nil
}

// settle gives every file with data a name in the directory of the run.
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

// link gives the file the name that its process would have given it, as a link
// to the descriptor. A file without data gets none.
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

// spill moves files of processes that have ended to the directory, the eldest
// first, when there are many. Where there is no room they stay.
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

// close ends the keeper. The data that were not saved are gone.
func (k *keeper) close() {
	k.listener.Close()
	<-k.stopped
	close(k.wake)
	<-k.drained
	for _, f := range k.kept {
		f.close()
	}
}

// close gives up the file, and the drain if one is left.
func (f *keptFile) close() {
	f.mu.Lock()
	if f.drain != nil {
		f.drain.close()
		f.drain = nil
	}
	f.mu.Unlock()
	f.f.Close()
}
