//go:build unix

package pgtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// A Server is a running PostgreSQL server.
type Server struct {
	bin, dir string
	as       *syscall.Credential // nil for the user of this process
	settings []string
	log      *os.File

	mu        sync.Mutex
	cmd       *exec.Cmd
	ended     chan struct{}
	databases int
}

// Hasty is a setting that makes the server not wait for the disk: commits survive a crash of the
// server, but not of the machine.
const Hasty = "fsync=off"

// Start starts an empty server, and returns when it accepts connections. Settings are name=value as
// in postgresql.conf.
func Start(ctx context.Context, settings ...string) (*Server, error) {
	s, err := start(ctx, settings)
	if err != nil {
		return nil, fmt.Errorf("starting PostgreSQL: %w", err)
	}
	return s, nil
}

func start(ctx context.Context, settings []string) (_ *Server, err error) {
	s := &Server{settings: settings}
	if s.bin, err = programs(); err != nil {
		return nil, err
	}
	if s.dir, err = os.MkdirTemp("/tmp", "pgtest-"); err != nil { // the path of a socket has a small max length
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	if os.Getuid() == 0 {
		if s.as, err = credential("postgres"); err != nil {
			return nil, err
		}
		if err = os.Chown(s.dir, int(s.as.Uid), int(s.as.Gid)); err != nil {
			return nil, err
		}
	}
	if s.log, err = os.OpenFile(filepath.Join(s.dir, "log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600); err != nil {
		return nil, err
	}
	init := exec.CommandContext(ctx, filepath.Join(s.bin, "initdb"), "-D", s.data(), "-U", "markgen", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync")
	s.prepare(init)
	if out, err := init.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w\n%s", err, out)
	}
	if err := s.Restart(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// programs returns the directory of the newest installed server.
func programs() (string, error) {
	if path, err := exec.LookPath("postgres"); err == nil {
		path, err = filepath.EvalSymlinks(path)
		return filepath.Dir(path), err
	}
	// Debian installs several versions, outside of PATH.
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	if err != nil || len(found) == 0 {
		return "", errors.New("it is not installed: apt-get install postgresql")
	}
	version := func(path string) int {
		n, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path))))
		return n
	}
	return filepath.Dir(slices.MaxFunc(found, func(a, b string) int { return version(a) - version(b) })), nil
}

func credential(name string) (*syscall.Credential, error) {
	u, err := user.Lookup(name)
	if err != nil {
		return nil, err
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, err
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

// prepare makes a program run as the server's user, in its directory, in its own process group.
func (s *Server) prepare(cmd *exec.Cmd) {
	cmd.Dir = s.dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.as, Setpgid: true}
}

// Restart starts the server, which must not be running, and returns when it accepts connections.
func (s *Server) Restart(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cmd != nil {
		return errors.New("it runs")
	}
	for {
		err := s.run(ctx)
		// Killed processes may keep their shared memory for a moment.
		if err == nil || !strings.Contains(err.Error(), "pre-existing shared memory block") || ctx.Err() != nil {
			return err
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func (s *Server) run(ctx context.Context) error {
	args := []string{"-D", s.data(), "-k", s.dir, "-c", "listen_addresses="}
	for _, one := range s.settings {
		args = append(args, "-c", one)
	}
	cmd := exec.Command(filepath.Join(s.bin, "postgres"), args...)
	s.prepare(cmd)
	if err := s.log.Truncate(0); err != nil { // keep only the output of this start
		return err
	}
	cmd.Stdout, cmd.Stderr = s.log, s.log
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // its log says how it ended
		close(ended)
	}()
	s.cmd, s.ended = cmd, ended
	for {
		c, err := pgx.Connect(ctx, s.URL("postgres"))
		if err == nil {
			return c.Close(ctx)
		}
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err, s.said())
		case <-ended:
			s.cmd = nil
			return errors.Join(errors.New("it ended"), s.said())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// said returns the end of the server's log.
func (s *Server) said() error {
	log, err := os.ReadFile(s.log.Name())
	if err != nil {
		return err
	}
	lines := bytes.Split(bytes.TrimSpace(log), []byte("\n"))
	return errors.New(string(bytes.Join(lines[max(0, len(lines)-20):], []byte("\n"))))
}

// URL returns the URL of a database of the server.
func (s *Server) URL(database string) string {
	q := url.Values{"host": {s.dir}, "user": {"markgen"}}
	return "postgres:///" + url.PathEscape(database) + "?" + q.Encode()
}

// Database creates an empty database and returns its URL.
func (s *Server) Database(ctx context.Context) (string, error) {
	s.mu.Lock()
	s.databases++
	name := fmt.Sprintf("test%d", s.databases)
	s.mu.Unlock()
	return s.URL(name), s.Exec(ctx, "CREATE DATABASE "+name)
}

// Exec runs a statement as the superuser.
func (s *Server) Exec(ctx context.Context, statement string) error {
	c, err := pgx.Connect(ctx, s.URL("postgres"))
	if err != nil {
		return err
	}
	_, err = c.Exec(ctx, statement)
	return errors.Join(err, c.Close(ctx))
}

// Programs returns the directory of the server's programs: psql, pg_dump …
func (s *Server) Programs() string { return s.bin }

// PID returns the ID of the server's main process, or 0 if it is not running.
func (s *Server) PID() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cmd == nil {
		return 0
	}
	return s.cmd.Process.Pid
}

// Kill kills the server and its children with SIGKILL.
func (s *Server) Kill() error { return s.end(syscall.SIGKILL) }

// Stop shuts the server down cleanly, and closes open connections.
func (s *Server) Stop() error { return s.end(syscall.SIGINT) }

func (s *Server) end(signal syscall.Signal) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cmd == nil {
		return nil
	}
	pid := s.cmd.Process.Pid
	var killed []int
	if signal == syscall.SIGKILL { // its children are in their own sessions, and must be gone before a new server can start
		killed = children(pid)
	}
	err := syscall.Kill(pid, signal)
	for _, child := range killed {
		_ = syscall.Kill(child, signal) // it may have ended already
	}
	<-s.ended
	s.cmd = nil
	return err
}

// Close ends the server and removes its files.
func (s *Server) Close() error {
	err := s.end(syscall.SIGQUIT)
	if s.log != nil {
		err = errors.Join(err, s.log.Close())
	}
	return errors.Join(err, os.RemoveAll(s.dir))
}
