package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"
)

// state is the state of an open store.
type state struct {
	dialect
	options    Options
	background func() // additional background work; nil if none
	url        string
	identity   atomic.Int64 // identifies the store, as last read; changed by a restore and by Remove
	sessionKey []byte
	write      *sql.DB
	read       *sql.DB   // for batches, tokens and background work, so that queries can't exhaust it
	queries    *sql.DB   // for queries
	owner      *fileLock // lock of an SQLite file, or nil
	cache      *rowCache
	reached    marks                                   // pairs of API and origin in the table reach
	reachedOf  atomic.Int64                            // identity of the store that reached is about
	backups    chan struct{}                           // capacity 1: held while a backup runs
	cutBackup  atomic.Pointer[context.CancelCauseFunc] // cancels the backup that reads; nil if there is none, or it was canceled

	queue     chan *pending
	logged    int64      // writer whose log number, and uncertain, are about; all three belong to the goroutine of commit
	number    int64      // of the last batch in the log
	uncertain []*pending // group whose commit returned an error
	joining   sync.Mutex

	mu         sync.Mutex
	writer     int64  // this process's number as a writer
	ownerToken []byte // proves ownership of the writer; changed by a process that takes over
	sum        sum
	held       [allChunks]*held // chunks that are being written
	written    [allChunks]int64 // log number that each chunk in the tables includes
	trimmed    int64            // the log is deleted up to this number

	waiting      atomic.Int64 // bytes of sum
	chunks       atomic.Int64 // number of chunks written
	settling     atomic.Int32 // number of callers in Settle
	workerErrors workerErrors
	pings        singleflight.Group
	wrote        atomic.Int64 // time of the last commit, ns since 1970
	woken        chan struct{}

	life     context.Context // context of background work; canceled when the store closes
	end      context.CancelFunc
	closing  chan struct{}
	closed   sync.Once
	running  sync.WaitGroup
	closeErr error
}

var errClosed = errors.New("the store is closed")

// Open opens the store at a postgres:// URL, or in the SQLite file of that name, which it creates
// if needed. It upgrades the tables to the newest version; if they are newer than this program the
// error is ErrNewer.
func Open(ctx context.Context, url string, o Options) (*Store, error) {
	s := &Store{state{
		options: o.withDefaults(), url: url, cache: newRowCache(),
		queue: make(chan *pending, maxGroup), woken: make(chan struct{}, 1), closing: make(chan struct{}), backups: make(chan struct{}, 1),
	}}
	s.life, s.end = context.WithCancel(context.WithoutCancel(ctx))
	err := s.open(ctx, url)
	if err == nil {
		return s, nil
	}
	s.end()
	if err = s.wrap("opening the store", err); errors.Is(err, ErrFull) {
		err = fmt.Errorf("%w; make room on its disk: to be opened it takes a little", err)
	}
	s.closeDatabases()
	return nil, err
}

func (o Options) withDefaults() Options {
	if o.MaxAPIs == 0 {
		o.MaxAPIs = 2_000_000
	}
	if o.MaxOrigins == 0 {
		o.MaxOrigins = 100_000
	}
	if o.MaxNodes == 0 {
		o.MaxNodes = 200_000
	}
	if o.Memory == 0 {
		o.Memory = 128 << 20
	}
	if o.Days == 0 {
		o.Days = 42
	}
	if o.Remember == 0 {
		o.Remember = 400 * 24 * time.Hour
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

func (s *Store) open(ctx context.Context, url string) (err error) {
	if strings.HasPrefix(url, "postgres://") || strings.HasPrefix(url, "postgresql://") {
		err = s.openPostgres(ctx, url)
	} else {
		err = s.openSQLite(ctx, url)
	}
	if err != nil {
		return err
	}
	if err := s.migrate(ctx, migrations); err != nil {
		return err
	}
	if err := s.identify(ctx); err != nil {
		return err
	}
	if err := s.join(ctx); err != nil {
		return err
	}
	if err := s.loadCache(ctx, s.read); err != nil {
		return err
	}
	for _, work := range []func(){s.commit, s.fold, s.tend, s.background} {
		if work != nil {
			s.running.Go(work)
		}
	}
	return nil
}

func (s *Store) clock(ctx context.Context, q queryer) (time.Time, error) {
	if s.now == nil {
		return s.options.Now(), nil
	}
	return s.now(ctx, q)
}

func (s *Store) isClosing() bool {
	select {
	case <-s.closing:
		return true
	default:
		return false
	}
}

// wake starts folding now.
func (s *Store) wake() {
	select {
	case s.woken <- struct{}{}:
	default:
	}
}

// closeRetry is how long Close retries writing statistics to the tables. They are in the log
// anyway.
const closeRetry = 2 * time.Second

// Close writes pending statistics to the tables and closes the store.
func (s *Store) Close() error {
	s.closed.Do(func() {
		ctx, stop := context.WithTimeout(context.Background(), time.Minute)
		defer stop()
		err := s.settleOwn(ctx, closeRetry)
		close(s.closing)
		s.end()
		s.running.Wait()
		if err == nil {
			err = s.leave(ctx)
		}
		s.closeErr = s.wrap("closing the store; what is not in the tables is in its log, and is taken up when it is opened again", errors.Join(err, s.closeDatabases()))
	})
	return s.closeErr
}

func (s *Store) closeDatabases() error {
	var errs []error
	if s.write != nil && s.close != nil {
		errs = append(errs, s.close(s.write))
	}
	for _, db := range []*sql.DB{s.queries, s.read, s.write} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	if s.owner != nil {
		errs = append(errs, s.owner.Close())
	}
	return errors.Join(errs...)
}

// Settle returns when queries see all batches accepted before the call.
func (s *Store) Settle(ctx context.Context) error {
	return s.wrap("waiting for figures to be written", s.settle(ctx))
}

func (s *Store) settle(ctx context.Context) error {
	if err := s.settleOwn(ctx, 0); err != nil {
		return err
	}
	return s.settleOthers(ctx)
}

// settleOwn waits for the batches accepted by this process. It gives up once writing has failed for
// longer than retry; 0 means never.
func (s *Store) settleOwn(ctx context.Context, retry time.Duration) error {
	s.settling.Add(1)
	defer s.settling.Add(-1)
	s.mu.Lock()
	to := s.sum.last
	s.mu.Unlock()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !s.writtenTo(to) {
		s.wake()
		if since, err := s.workerErrors.of(folding); err != nil && retry > 0 && time.Since(since) > retry {
			return err
		}
		select {
		case <-tick.C:
		case <-s.closing:
			return errClosed
		case <-ctx.Done():
			return cmp.Or(s.workerErrors.any(), ctx.Err())
		}
	}
	return nil
}

// writtenTo reports whether the tables include all log entries up to a number.
func (s *Store) writtenTo(to int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range allChunks {
		if h := s.held[c]; h != nil && h.from <= to {
			return false
		}
		if k := s.sum.chunks[c]; k != nil && k.from <= to {
			return false
		}
	}
	return true
}

// Ping returns nil if the store can be read and accepts batches. It returns the error of a worker
// if there is one, and writes only if there was no commit in the last second. Concurrent calls
// share one check.
func (s *Store) Ping(ctx context.Context) error {
	result := s.pings.DoChan("", func() (any, error) {
		ctx, stop := context.WithTimeout(s.life, 5*time.Second)
		defer stop()
		return nil, s.ping(ctx)
	})
	var err error
	select {
	case r := <-result:
		err = r.Err
	case <-ctx.Done():
		err = ctx.Err()
	}
	return s.wrap("checking the store", err)
}

func (s *Store) ping(ctx context.Context) error {
	if err := s.read.QueryRowContext(ctx, "SELECT revision FROM total WHERE id = 1").Scan(new(int64)); err != nil {
		return err
	}
	if err := s.workerErrors.any(); err != nil {
		return err
	}
	if time.Since(time.Unix(0, s.wrote.Load())) < time.Second {
		return nil
	}
	_, err := s.change(ctx, false, "UPDATE total SET revision = revision WHERE id = 1")
	if err == nil {
		s.wrote.Store(time.Now().UnixNano())
	}
	return err
}

// leave stops being a writer. All of its log must be in the tables.
func (s *Store) leave(ctx context.Context) error {
	if err := s.trim(); err != nil {
		return err
	}
	tx, err := s.begin(ctx, true)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	writer, ownerToken := s.who()
	if err := s.remove(ctx, tx, writer, ownerToken); err != nil {
		return err
	}
	return tx.Commit()
}
