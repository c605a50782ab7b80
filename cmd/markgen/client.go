package main

import (
	"cmp"
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"github.com/markgen/markgen/fileread"
	"github.com/markgen/markgen/fleet/client"
	"github.com/markgen/markgen/internal/cli"
)

// newClient is the client for a server, with the token in a file, or that in the environment if none is given.
func newClient(e *cli.Env, server, tokenFile string) (*client.Client, error) {
	token, err := readToken(e, "", tokenFile)
	if err != nil {
		return nil, err
	}
	if u, err := url.Parse(server); err == nil {
		warnPlain(e, u, token)
	}
	return &client.Client{Server: server, Version: cli.Version(), Token: token}, nil
}

// warnPlain warns of a token that leaves the machine without TLS.
func warnPlain(e *cli.Env, server *url.URL, token string) {
	if server.Scheme == "http" && token != "" && !ownMachine(server.Hostname()) {
		e.Warn("the token goes to " + server.Host + " without TLS, and can be read on the way")
	}
}

// readToken is the one given, or what the file of -token-file has, or MARKGEN_TOKEN if there is neither.
func readToken(e *cli.Env, given, file string) (string, error) {
	const shape = "a token is one word that begins with mg_"
	token, from := cmp.Or(given, e.Getenv("MARKGEN_TOKEN")), "the token"
	if file != "" {
		text, err := fileread.Named(e.Path(file))
		if err != nil {
			return "", fmt.Errorf("-token-file: %w; %s", err, shape)
		}
		token, from = string(text), file
	}
	token = strings.TrimSpace(token)
	if token == "" && file != "" {
		return "", fmt.Errorf("%s: there is no token in it; %s", from, shape)
	}
	if strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", fmt.Errorf("%s has characters that no token has; %s", from, shape)
	}
	return token, nil
}

// ownMachine tells whether a host's name is that of this machine in any case.
func ownMachine(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}
