//go:build unix

package store_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/markgen/markgen/service/store/pgtest"
	"github.com/markgen/markgen/tier"
)

// The tests share a server, with a database for each.
var postgres = sync.OnceValues(func() (*pgtest.Server, error) { return pgtest.Start(context.Background(), pgtest.Hasty) })

func TestMain(m *testing.M) {
	if words := os.Getenv(childVariable); words != "" {
		if err := child(strings.Split(words, "\t")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	used := false
	start := postgres
	postgres = func() (*pgtest.Server, error) { used = true; return start() }
	code := m.Run()
	if used {
		if server, err := start(); err == nil {
			if err := server.Close(); err != nil {
				fmt.Fprintln(os.Stderr, err)
				code = 1
			}
		}
	}
	os.Exit(code)
}

func database(t testing.TB) string {
	t.Helper()
	tier.Test(t)
	server, err := postgres()
	if err != nil {
		t.Fatal(err)
	}
	url, err := server.Database(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return url
}

func TestPostgres(t *testing.T) {
	tier.Test(t)
	suite(t, func(t *testing.T) string { return database(t) })
}
