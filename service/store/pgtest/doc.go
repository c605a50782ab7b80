// Package pgtest starts a real PostgreSQL server for tests and benchmarks, from the installed
// programs. Its files are in a temporary directory, and it listens only on a socket there.
//
//	server, err := pgtest.Start(ctx)
//	defer server.Close()
//	url, err := server.Database(ctx)  // a new one, empty
//	err = server.Kill()               // as a crash would
//	err = server.Restart(ctx)
//
// PostgreSQL refuses to run as root; then the user postgres, which its Debian package creates, runs
// it.
package pgtest
