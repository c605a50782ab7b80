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

// A Server is a process of markgend at one address, which may be killed and started again. It takes batches and
// answers questions without tokens, and takes as many as come.
type Server struct {
	command string
	args    []string
	addr    string
	log     io.Writer

	mu  sync.Mutex
	cmd *exec.Cmd
}

// NewServer is a server of a store that is not started yet: command is the file of markgend, args are more of its
// flags, and log gets what it prints.
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

// URL is where it is, or will be.
func (s *Server) URL() string { return "http://" + s.addr }

// Start starts a process unless there is one, and returns when it is ready.
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

// End ends the process by a signal, and returns when it is gone. The error is that it did not end as it was told to.
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

// Peak is the most memory that the process has had, bytes; 0 if there is none.
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
