// Package spool takes what marked programs left in a spool, the directory of MARKGEN=spool=DIR, and sends it to the
// central service.
//
//	s, err := spool.Open(dir)
//	defer s.Close()
//	packed, err := s.Pack(ctx, spool.PackOptions{})
//	sent, err := s.Send(ctx, spool.SendOptions{Server: server, Token: token})
//
// Pack makes deliveries of data files: anonymous profiles (Anonymous), cut into batches that are on the disk as they
// will be sent before the first of them is. Of a process that still runs it takes what has come since the last time. Send sends
// batches until the service has them, each as often as that takes; the service counts each once.
//
// A process that does this may end at any moment, with the machine: nothing is lost then and nothing is sent
// under two names. Each change of the spool is one rename, and what it leaves to be done is found and done by
// who opens the spool next.
//
// In the directory are
//
//	run-HEX.markgen   data files of processes, see runtime/layout/spool.go
//	refusals          a byte for each process that did not collect, since the spool was full
//	refusals-taken    how many of these are in deliveries
//	held              bytes in the directories below, for processes that begin
//	out/N-RUN-SEQ/    deliveries, the eldest first: note.json, and a profile file for each batch
//	taken/            what has been taken of processes that run, under the names of their data files
//	refused/          batches that the service did not take, each with its answer, until PutBack
//	unreadable/       data files that can't be read
package spool
