// Package spool sends the data that marked programs left in a spool, the directory of
// MARKGEN=spool=DIR, to the central service.
//
//	s, err := spool.Open(dir)
//	defer s.Close()
//	packed, err := s.Pack(ctx, spool.PackOptions{})
//	sent, err := s.Send(ctx, spool.SendOptions{Server: server, Token: token})
//
// Pack makes deliveries from data files: anonymous profiles (see Anonymous), split into batches
// that are all on disk before the first is sent. From a running process it takes what was added
// since the last time. Send sends each batch until the service has it; the service counts each
// once.
//
// The process may end at any moment, with the machine: then nothing is lost, and nothing is sent
// under two IDs. Each change of the spool is one rename; the steps that follow from it are
// completed by the next process that opens the spool.
//
// The directory contains
//
//	run-HEX.markgen   data files of processes, see runtime/layout/spool.go
//	refusals          a byte for each process that did not collect because the spool was full
//	refusals-taken    how many of these are counted in deliveries
//	held              bytes in the directories below, for starting processes
//	out/N-RUN-SEQ/    deliveries, the oldest first: note.json, and a profile file for each batch
//	taken/            sum of what was taken from running processes, by name of their data file
//	refused/          batches that the service refused, each with its answer, until PutBack
//	unreadable/       data files that can't be read
package spool
