package fleettest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// A Server is a markgend process at a fixed address, which may be killed and restarted. It needs no
// tokens and has no rate limit.
type Server struct {
	command string
	args    []string
	addr    string
	log     io.Writer

	mu  sync.Mutex
	cmd *exec.Cmd
}

// NewServer returns a server of a store, which is not started yet. command is the markgend
// executable, args are additional flags, and log gets its output.
func NewServer(command, db string, log io.Writer, args ...string) (*Server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	defer l.Close()
	addr := l.Addr().String()
	args = append([]string{"-db", db, "-addr", addr, "-public-ingest", "-public-read", "-rate", "0", "-log", "warn"}, args...)
	return &Server{command: command, args: args, addr: addr, log: log}, nil
}

// URL returns the URL of the server, also before it is started.
func (s *Server) URL() string { return "http://" + s.addr }

// Start starts a process unless one is running, and returns when it is ready.
func (s *Server) Start() error {
	s.mu.Lock()
	if s.cmd != nil {
		s.mu.Unlock()
		return nil
	}
	cmd := exec.Command(s.command, s.args...)
	cmd.Stdout, cmd.Stderr = s.log, s.log
	if err := cmd.Start(); err != nil {
		s.mu.Unlock()
		return err
	}
	s.cmd = cmd
	s.mu.Unlock()
	for range 600 {
		answer, err := http.Get(s.URL() + "/readyz")
		if err == nil {
			answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return nil
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
	return fmt.Errorf("the server on %s was not ready in a minute", s.addr)
}

// End ends the process by a signal, and returns when it has exited. It is an error if it did not
// exit cleanly.
func (s *Server) End(signal syscall.Signal) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cmd == nil {
		return nil
	}
	s.cmd.Process.Signal(signal)
	err := s.cmd.Wait()
	s.cmd = nil
	if exit := (*exec.ExitError)(nil); signal == syscall.SIGKILL && errors.As(err, &exit) {
		return nil
	}
	return err
}

// Peak returns the peak memory of the process, in bytes; 0 if none is running.
func (s *Server) Peak() (n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cmd == nil {
		return 0
	}
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if _, rest, ok := bytes.Cut(text, []byte("VmHWM:")); ok {
		fmt.Sscan(string(rest), &n)
	}
	return n << 10
}
