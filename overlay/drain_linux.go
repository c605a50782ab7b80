package overlay

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/markgen/markgen/runtime/layout"
)

// A drain takes the trace records of one process out of the rings in its data file
// before newer ones would overwrite them, and appends them to a file on the disk.
// That is laid out as a data file, but for its header, which comes last: blocks of
// records, behind which the blocks of the process's own file fit.
//
// It reads and writes the memory of a process that may do anything with it: no
// length in there is trusted.
type drain struct {
	from    *os.File // the process's data file
	header  []byte   // its first page, mapped
	scanned uint64   // blocks up to here are known
	rings   []*ringStart

	create func() (*os.File, error)
	to     *os.File // nil: nothing was taken yet
	size   int64    // of it
	err    error    // nothing is taken any more
}

// ringStart is the reader's end of a ring.
type ringStart struct {
	mapped  []byte // the pages that it is in
	ring    []byte // the block
	shard   uint32
	room    uint64
	drained uint64
}

// newDrain makes ready to drain a data file whose process has not begun. create
// makes the file for the records when there are some.
func newDrain(f *os.File, create func() (*os.File, error)) (*drain, error) {
	if err := f.Truncate(layout.HeaderSize); err != nil {
		return nil, err
	}
	header, err := unix.Mmap(int(f.Fd()), 0, layout.HeaderSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, os.NewSyscallError("mmap", err)
	}
	d := &drain{from: f, header: header, scanned: layout.HeaderSize, create: create}
	atomic.StoreUint64(wordAt(header, layout.OffDrainer), uint64(os.Getpid()))
	return d, nil
}

func wordAt(b []byte, offset int) *uint64 {
	_ = b[offset+7]
	return (*uint64)(unsafe.Pointer(&b[offset]))
}

// Of a ring, full parts are taken out when it is filled to an eighth; there is no
// hurry, since all memory is this process's too. wakeIdle and wakeBusy are how long
// nobody looks, without and with records coming in.
const (
	drainAt  = 8
	wakeIdle = 2 * time.Millisecond
	wakeBusy = 300 * time.Microsecond
)

// takenAtOnce is how many records make a block; then the ring has that much room
// again.
const takenAtOnce = 8192

// poll takes out what there is of rings that are filled enough. It says whether
// records came in lately, and whether so many that it should be called again at
// once.
func (d *drain) poll() (coming, many bool) {
	if d.err != nil {
		return false, false
	}
	if used := atomic.LoadUint64(wordAt(d.header, layout.OffUsed)); used > d.scanned {
		d.scan(used)
	}
	for _, r := range d.rings {
		n := atomic.LoadUint64(wordAt(r.ring, layout.RingWritten)) - r.drained
		if n < r.room/drainAt {
			coming = coming || n > r.room/drainAt/16
			continue
		}
		coming = true
		many = many || n > r.room/4
		if err := d.take(r, n); err != nil {
			d.fail(err)
			return false, false
		}
	}
	return coming, many
}

// fail lets the rings overwrite their eldest records again.
func (d *drain) fail(err error) {
	d.err = err
	atomic.StoreUint64(wordAt(d.header, layout.OffDrainer), 0)
}

// scan finds new rings.
func (d *drain) scan(used uint64) {
	var head [layout.RingRoom + 8]byte
	for d.scanned < used {
		if _, err := d.from.ReadAt(head[:], int64(d.scanned)); err != nil {
			return // it will be there
		}
		size := binary.NativeEndian.Uint64(head[layout.OffBlockSize:])
		if size < layout.BlockAlign || size%layout.BlockAlign != 0 || size > used-d.scanned {
			d.scanned = 1 << 63 // whoever reads the file will say what is wrong
			return
		}
		if binary.NativeEndian.Uint32(head[layout.OffBlockType:]) == layout.BlockRing {
			room := binary.NativeEndian.Uint64(head[layout.RingRoom:])
			if room >= 2 && room <= (size-layout.RingData)/layout.RecordSize {
				if err := d.addRing(d.scanned, size, room, binary.NativeEndian.Uint32(head[layout.OffBlockShard:])); err != nil {
					d.fail(err)
					return
				}
			}
		}
		d.scanned += size
	}
}

func (d *drain) addRing(offset, size, room uint64, shard uint32) error {
	if info, err := d.from.Stat(); err != nil || uint64(info.Size()) < offset+size { // what is mapped beyond can't be touched
		return errors.Join(err, io.ErrUnexpectedEOF)
	}
	page := uint64(os.Getpagesize())
	first := offset / page * page
	mapped, err := unix.Mmap(int(d.from.Fd()), int64(first), int(offset-first+size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return os.NewSyscallError("mmap", err)
	}
	d.rings = append(d.rings, &ringStart{mapped: mapped, ring: mapped[offset-first:][:size], shard: shard, room: room})
	return nil
}

// take appends the n records that a ring has.
func (d *drain) take(r *ringStart, n uint64) error {
	if d.to == nil {
		f, err := d.create()
		if err != nil {
			return err
		}
		d.to, d.size = f, layout.HeaderSize
	}
	first := r.drained
	if n >= r.room { // it was overwritten before anybody drained it
		first, n = r.drained+n-r.room+1, r.room-1
	}
	for n > 0 {
		place := first % r.room
		k := min(n, r.room-place, takenAtOnce)
		if err := d.append(r.shard, first, r.ring[layout.RingData+place*layout.RecordSize:][:k*layout.RecordSize]); err != nil {
			return err
		}
		first, n = first+k, n-k
		r.drained = first
		atomic.StoreUint64(wordAt(r.ring, layout.RingDrained), first)
	}
	return nil
}

// append appends a block of records.
func (d *drain) append(shard uint32, first uint64, records []byte) error {
	var head [layout.TraceData]byte
	var pad [layout.BlockAlign]byte
	padding := -len(records) & (layout.BlockAlign - 1)
	size := len(head) + len(records) + padding
	binary.NativeEndian.PutUint32(head[layout.OffBlockType:], layout.BlockTrace)
	binary.NativeEndian.PutUint32(head[layout.OffBlockShard:], shard)
	binary.NativeEndian.PutUint64(head[layout.OffBlockSize:], uint64(size))
	binary.NativeEndian.PutUint64(head[layout.TraceFirst:], first)
	binary.NativeEndian.PutUint64(head[layout.TraceLen:], uint64(len(records)/layout.RecordSize))
	binary.NativeEndian.PutUint64(head[layout.TraceSum:], layout.Checksum(layout.ChecksumStart, head[:layout.TraceSum]))
	at := d.size
	for _, part := range [][]byte{head[:], records, pad[:padding]} {
		if _, err := d.to.WriteAt(part, at); err != nil {
			return err
		}
		at += int64(len(part))
	}
	d.size = at
	return nil
}

// finish completes the file on the disk and returns its name, "" if there is none:
// all is in the process's own file. used is how much of that is in use.
func (d *drain) finish(used int64) (name string, err error) {
	if d.to == nil {
		return "", nil
	}
	header := make([]byte, layout.HeaderSize)
	if _, err := d.from.ReadAt(header, 0); err != nil {
		return "", err
	}
	own := io.NewSectionReader(d.from, layout.HeaderSize, used-layout.HeaderSize)
	n, err := copySparse(d.to, d.size, own)
	if err != nil {
		return "", err
	}
	binary.NativeEndian.PutUint64(header[layout.OffUsed:], uint64(d.size+n))
	if _, err := d.to.WriteAt(header, 0); err != nil {
		return "", err
	}
	return d.to.Name(), nil
}

// close ends draining. The file on the disk is the caller's.
func (d *drain) close() error {
	atomic.StoreUint64(wordAt(d.header, layout.OffDrainer), 0)
	errs := []error{unix.Munmap(d.header)}
	for _, r := range d.rings {
		errs = append(errs, unix.Munmap(r.mapped))
	}
	if d.to != nil {
		errs = append(errs, d.to.Close())
	}
	return errors.Join(errs...)
}

// trouble says why not all records were taken out, "" if they were.
func (d *drain) trouble() string {
	if d.err == nil {
		return ""
	}
	return fmt.Sprintf("the trace could not be written to the disk: %v; from then on only the newest records were kept", d.err)
}
