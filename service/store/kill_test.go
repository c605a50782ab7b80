//go:build unix

package store_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/service/store"
	"github.com/markgen/markgen/service/store/pgtest"
	"github.com/markgen/markgen/tier"
)

// childVariable is the environment variable with the arguments of a child that may be killed at any
// moment: the store's URL, a seed, and the number of batches.
const childVariable = "MARKGEN_STORE_CHILD"

// smallMemory makes the store write statistics to the tables as soon as they arrive.
const smallMemory = 32 << 10

// child ingests batches, and prints each that was accepted.
func child(words []string) error {
	store.SetLease(time.Second)
	url := words[0]
	seed, err := strconv.ParseUint(words[1], 10, 64)
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(words[2])
	if err != nil {
		return err
	}
	s, err := store.Open(context.Background(), url, store.Options{Memory: smallMemory, Days: 1e6})
	for errors.Is(err, store.ErrGone) { // as a restarted service does
		time.Sleep(20 * time.Millisecond)
		s, err = store.Open(context.Background(), url, store.Options{Memory: smallMemory, Days: 1e6})
	}
	if err != nil {
		return err
	}
	list := killBatches(seed, n)
	var all sync.WaitGroup
	var mu sync.Mutex
	for g := range 3 {
		all.Go(func() {
			for i := g; i < len(list); i += 3 {
				for {
					r, err := s.Ingest(context.Background(), list[i])
					if errors.Is(err, store.ErrGone) || errors.Is(err, store.ErrBehind) { // as a client does
						time.Sleep(20 * time.Millisecond)
						continue
					}
					mu.Lock()
					fmt.Println(i, r.Known, err)
					mu.Unlock()
					break
				}
			}
		})
	}
	all.Wait()
	return s.Close()
}

func killBatches(seed uint64, n int) (list []fact) {
	r := newMaker(seed)
	r.large = true
	for i := range n {
		list = append(list, withPaths(r.batch(), 8, uint64(i)))
	}
	return list
}

// killed runs the child and kills it after some time, or waits for its end. It returns the batches
// that the child reported as accepted.
func killed(t *testing.T, url string, seed uint64, n int, after time.Duration) (taken map[int]bool, ended bool) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childVariable+"="+strings.Join([]string{url, strconv.FormatUint(seed, 10), strconv.Itoa(n)}, "\t"))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	taken = map[int]bool{}
	begun := false
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if !begun && after > 0 { // start at its first batch, so that it is killed while busy
			begun = true
			time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
		}
		var i int
		var known, problem string
		if _, err := fmt.Sscan(lines.Text(), &i, &known, &problem); err != nil || problem != "<nil>" {
			t.Errorf("the child said %q", lines.Text())
			continue
		}
		taken[i] = true
	}
	return taken, cmd.Wait() == nil
}

// A process that ingests batches is killed repeatedly, and starts over from the first batch. In the
// end every batch is counted once, and after each kill all batches that it reported as accepted are
// there.
func testKilled(t *testing.T, url string) {
	const n = 100
	seed := uint64(11)
	list := killBatches(seed, n)
	rnd := rand.New(rand.NewPCG(1, 1))
	kills := 6
	if !tier.InCorpus() {
		kills = 3
	}
	for range kills {
		taken, _ := killed(t, url, seed, n, time.Duration(rnd.IntN(400))*time.Millisecond)
		s := open(t, url, store.Options{})
		for i := range taken {
			if !ingest(t, s, list[i]).Known {
				t.Errorf("batch %d was taken, and is gone", i)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, ended := killed(t, url, seed, n, 0); !ended {
		t.Fatal("the child failed")
	}
	s := open(t, url, store.Options{})
	checkAll(t, s, list)
	checkPaths(t, s, list)
}

func TestKilledSQLite(t *testing.T) { testKilled(t, filepath.Join(t.TempDir(), "fleet.db")) }

func TestKilledPostgres(t *testing.T) {
	tier.Corpus(t)
	store.SetLease(time.Second)
	testKilled(t, database(t))
}

// The database is killed while several processes write to it, some of which are killed too.
func TestKilledDatabase(t *testing.T) {
	tier.Test(t)
	store.SetLease(time.Second)
	ctx, stop := context.WithTimeout(context.Background(), 5*time.Minute)
	defer stop()
	server, err := pgtest.Start(ctx, pgtest.Hasty)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() }) // after the stores are closed
	url, err := server.Database(ctx)
	if err != nil {
		t.Fatal(err)
	}
	open(t, url, store.Options{}).Close()
	n := 70
	if !tier.InCorpus() {
		n = 30
	}
	var list []fact
	var all sync.WaitGroup
	for process := range 3 {
		seed := uint64(20 + process)
		mine := killBatches(seed, n)
		list = append(list, mine...) // different runs for each process
		all.Go(func() {
			rnd := rand.New(rand.NewPCG(seed, 2))
			for range 2 {
				killed(t, url, seed, n, time.Duration(200+rnd.IntN(1500))*time.Millisecond)
			}
			for range 20 {
				if _, ended := killed(t, url, seed, n, 0); ended {
					return
				}
			}
			t.Error("a process did not come to its end")
		})
	}
	done := make(chan struct{})
	go func() { all.Wait(); close(done) }()
	defer func() { <-done }()
	for kills := 0; ; kills++ {
		pause := time.Duration(1+kills) * time.Second // increasing, so that it ends
		select {
		case <-done:
		case <-time.After(pause):
			if err := errors.Join(server.Kill(), server.Restart(ctx)); err != nil {
				t.Error(err)
				return
			}
			continue
		}
		t.Logf("killed %d times", kills)
		break
	}
	checkAll(t, open(t, url, store.Options{}), distinct(list))
}

// distinct returns batches without those whose ID occurred before.
func distinct(list []fact) (once []fact) {
	seen := map[fleet.BatchID]bool{}
	for _, b := range list {
		if !seen[b.ID] {
			seen[b.ID] = true
			once = append(once, b)
		}
	}
	return once
}
