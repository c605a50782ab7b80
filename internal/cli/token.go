package cli

import (
	"cmp"
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"github.com/markgen/markgen/fileread"
)

// Token returns the token for a central service: the given one, or the one in the -token-file, or
// else MARKGEN_TOKEN.
func (e *Env) Token(given, file string) (string, error) {
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

// WarnPlain warns about a token that would be sent to another machine without TLS.
func (e *Env) WarnPlain(server, token string) {
	u, err := url.Parse(server)
	if err == nil && u.Scheme == "http" && token != "" && !ownMachine(u.Hostname()) {
		e.Warn("the token goes to " + u.Host + " without TLS, and can be read on the way")
	}
}

// ownMachine reports whether a host name always refers to this machine.
func ownMachine(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}
