package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A server is a program that answers requests.
type server struct {
	sharedProgram
	load func(client int) error // what each of serverClients sends and waits for
}

// The servers of budget. Nothing else listens at serverAddress; one server runs at a time.
const (
	serverAddress = "127.0.0.1:47310"
	serverClients = 8
)

var budgetServers = []server{
	{sharedProgram{"nats", "github.com/nats-io/nats-server/v2@v2.15.3", ".", false, natsInput}, natsLoad},
	{sharedProgram{"coredns", "github.com/coredns/coredns@v1.15.0", ".", false, dnsInput}, dnsLoad},
	{sharedProgram{"caddy", "github.com/caddyserver/caddy/v2@v2.11.9", "./cmd/caddy", false, httpInput}, httpLoad},
}

// run runs the server until the clients have their answers. The processor time is that of the server.
func (s *server) run(ctx context.Context, dir string, environ []string, words ...string) (process, error) {
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Dir = dir
	cmd.Env = append(cleanEnviron(), environ...)
	var printed bytes.Buffer
	cmd.Stdout, cmd.Stderr = &printed, &printed
	if err := cmd.Start(); err != nil {
		return process{}, err
	}
	begin := time.Now()
	err := listens(ctx)
	if err == nil {
		err = s.allClients()
	}
	wall := time.Since(begin)
	err = errors.Join(err, cmd.Process.Signal(os.Interrupt), cmd.Wait())
	if err != nil {
		return process{}, fmt.Errorf("%s: %w\n%s", strings.Join(words, " "), err, printed.Bytes())
	}
	state := cmd.ProcessState
	return process{wall: wall.Seconds(), cpu: (state.UserTime() + state.SystemTime()).Seconds()}, nil
}

// listens waits until a server listens.
func listens(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		conn, err := net.Dial("tcp", serverAddress)
		if err == nil {
			return conn.Close()
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// allClients returns once all clients have their answers.
func (s *server) allClients() error {
	errs := make([]error, serverClients)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() { errs[i] = s.load(i) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

func natsInput(context.Context, string) ([]string, error) {
	host, port, err := net.SplitHostPort(serverAddress)
	return []string{"-a", host, "-p", port}, err
}

// natsLoad publishes messages, 50 at once, and receives them.
func natsLoad(client int) error {
	conn, err := net.Dial("tcp", serverAddress)
	if err != nil {
		return err
	}
	defer conn.Close()
	fmt.Fprintf(conn, "CONNECT {\"verbose\":false}\r\nSUB load.%d 1\r\n", client)
	const size, atOnce = 128, 50
	message := fmt.Sprintf("PUB load.%d %d\r\n%s\r\n", client, size, strings.Repeat("m", size))
	messages := []byte(strings.Repeat(message, atOnce))
	from := bufio.NewReader(conn)
	for range 16_000 {
		if _, err := conn.Write(messages); err != nil {
			return err
		}
		for got := 0; got < atOnce; {
			line, err := from.ReadSlice('\n')
			switch {
			case err != nil:
				return err
			case bytes.HasPrefix(line, []byte("MSG ")):
				got++
				if _, err := from.Discard(size + len("\r\n")); err != nil {
					return err
				}
			case bytes.HasPrefix(line, []byte("PING")):
				if _, err := io.WriteString(conn, "PONG\r\n"); err != nil {
					return err
				}
			case bytes.HasPrefix(line, []byte("-ERR")):
				return fmt.Errorf("nats: %s", line)
			}
		}
	}
	return nil
}

const hosts = 1000

func dnsInput(_ context.Context, dir string) ([]string, error) {
	_, port, err := net.SplitHostPort(serverAddress)
	if err != nil {
		return nil, err
	}
	zone := strings.Builder{}
	zone.WriteString("$ORIGIN example.org.\n@ 3600 IN SOA ns.example.org. admin.example.org. 1 7200 3600 1209600 3600\n@ 3600 IN NS ns.example.org.\nns IN A 127.0.0.1\n")
	for i := range hosts {
		fmt.Fprintf(&zone, "h%03d 300 IN A 10.0.%d.%d\n", i, i/250, i%250)
	}
	config := "example.org:" + port + " {\n\tbind 127.0.0.1\n\tfile db\n\terrors\n}\n"
	return []string{"-conf", "Corefile"}, writeInput(dir, map[string]string{"Corefile": config, "db": zone.String()})
}

// dnsLoad asks for addresses, one after the other.
func dnsLoad(client int) error {
	conn, err := net.Dial("udp", serverAddress)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(5 * time.Minute)); err != nil { // a lost packet
		return err
	}
	answer := make([]byte, 1500)
	for i := range 30_000 {
		query := binary.BigEndian.AppendUint16(nil, uint16(i))
		query = append(query, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 4)
		query = fmt.Appendf(query, "h%03d\x07example\x03org\x00\x00\x01\x00\x01", (i+client)%hosts)
		n, err := 0, error(syscall.ECONNREFUSED)
		for errors.Is(err, syscall.ECONNREFUSED) { // it listens for TCP before it does for UDP
			if _, err = conn.Write(query); err == nil {
				n, err = conn.Read(answer)
			}
		}
		if err != nil {
			return err
		}
		if n < len(query) || !slices.Equal(answer[:2], query[:2]) || answer[3]&0xf != 0 || answer[7] == 0 {
			return fmt.Errorf("dns: no answer for %q: %q", query, answer[:n])
		}
	}
	return nil
}

func httpInput(_ context.Context, dir string) ([]string, error) {
	config := "{\n\tadmin off\n\tauto_https off\n\tpersist_config off\n}\nhttp://" + serverAddress + " {\n\troot files\n\tencode gzip\n\theader X-Test {path}\n\tfile_server\n}\n"
	if err := os.MkdirAll(dir+"/files", 0o777); err != nil {
		return nil, err
	}
	return []string{"run", "--config", "Caddyfile"}, writeInput(dir, map[string]string{
		"Caddyfile": config, "files/page.html": "<p>" + strings.Repeat("some text, ", 300), "files/small.txt": "short\n",
	})
}

// httpLoad gets files, one after the other.
func httpLoad(client int) error {
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	for i := range 8000 {
		name := [...]string{"page.html", "small.txt", "page.html?x=1", "small.txt"}[(i+client)%4]
		response, err := (&http.Client{Transport: transport}).Get("http://" + serverAddress + "/" + name)
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, response.Body)
		response.Body.Close()
		if err != nil || response.StatusCode != http.StatusOK {
			return fmt.Errorf("%s: %s %w", name, response.Status, err)
		}
	}
	return nil
}
