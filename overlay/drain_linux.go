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

// A drain moves the trace records of one process from the rings in its data file to a file on disk,
// before newer records overwrite them. The file on disk has the layout of a data file, but its
// header is written last: blocks of records, to which the blocks of the process's own file are
// appended at the end.
//
// It reads and writes memory of a process that may do anything with it, so it trusts no length in
// there.
type drain struct {
	from    *os.File // data file of the process
	header  []byte   // first page of the file, mapped
	scanned uint64   // offset up to which the file has been scanned
	rings   []*ringStart

	create func() (*os.File, error)
	to     *os.File // nil if nothing was drained yet
	size   int64    // size of to
	err    error    // non-nil if draining has stopped
}

// ringStart is the reader's side of a ring.
type ringStart struct {
	mapped  []byte // mapped pages that contain the ring
	ring    []byte // the ring's block
	shard   uint32
	room    uint64
	drained uint64
}

// newDrain prepares to drain a data file whose process has not begun. create is called for the
// first records, to create the file on disk.
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

// A ring is drained when it is filled to 1/drainAt; that early is enough, since this process can
// access the memory at any time. wakeIdle and wakeBusy are the polling intervals, without and with
// records coming in.
const (
	drainAt  = 8
	wakeIdle = 2 * time.Millisecond
	wakeBusy = 300 * time.Microsecond
)

// takenAtOnce is the maximum number of records in a block; after each block its space in the ring
// is free.
const takenAtOnce = 8192

// poll drains the rings that are filled enough. coming reports whether records came in lately, and
// many whether so many that poll should be called again at once.
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

// fail stops draining, so that the rings overwrite their oldest records again.
func (d *drain) fail(err error) {
	d.err = err
	atomic.StoreUint64(wordAt(d.header, layout.OffDrainer), 0)
}

// scan looks for new rings.
func (d *drain) scan(used uint64) {
	var head [layout.RingRoom + 8]byte
	for d.scanned < used {
		if _, err := d.from.ReadAt(head[:], int64(d.scanned)); err != nil {
			return // not written yet
		}
		size := binary.NativeEndian.Uint64(head[layout.OffBlockSize:])
		if size < layout.BlockAlign || size%layout.BlockAlign != 0 || size > used-d.scanned {
			d.scanned = 1 << 63 // readers of the file will report the error
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
	if info, err := d.from.Stat(); err != nil || uint64(info.Size()) < offset+size { // accessing pages beyond the end of the file would fault
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

// take appends n records of a ring.
func (d *drain) take(r *ringStart, n uint64) error {
	if d.to == nil {
		f, err := d.create()
		if err != nil {
			return err
		}
		d.to, d.size = f, layout.HeaderSize
	}
	first := r.drained
	if n >= r.room { // overwritten before it was first drained
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

// finish completes the file on disk and returns its name, or "" if all data are in the process's
// own file. used is the used size of the latter.
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

// close ends draining. It does not remove the file on disk.
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

// trouble explains why records were lost, or returns "".
func (d *drain) trouble() string {
	if d.err == nil {
		return ""
	}
	return fmt.Sprintf("the trace could not be written to the disk: %v; from then on only the newest records were kept", d.err)
}
