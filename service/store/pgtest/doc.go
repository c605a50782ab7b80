// Package pgtest starts a PostgreSQL server for tests and benchmarks: a real one, from the programs that are installed, with
// its files in a temporary folder, listening on a socket in that folder and nowhere else.
//
//	server, err := pgtest.Start(ctx)
//	defer server.Close()
//	url, err := server.Database(ctx)  // a new one, empty
//	err = server.Kill()               // as a crash would
//	err = server.Restart(ctx)
//
// PostgreSQL refuses to run as root. There the user postgres, which its Debian package makes, runs it.
package pgtest
