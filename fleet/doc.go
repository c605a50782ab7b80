// Package fleet has the words that the parts of the central service share: what a batch is and how it is told from
// others, where figures come from, days, what a query asks for, and how a refusal reads.
//
// A marked program leaves its data in a spool (package spool). markgen push takes profiles from there and sends them
// in batches; markgend (package server) takes them, and adds them up in a store (package store), by marker, by
// origin and by day. Whoever asks gets profiles back, of package profile, so that every format of markgen report
// serves for the answer.
//
// Nothing that names a person, a machine or a file outside the module is in a batch (package spool, Anonymous).
package fleet
