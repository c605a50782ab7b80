// Package codec writes and reads profile files, which contain sums of runs: see
// docs/reference/profile-file.md.
//
//	file, err := codec.Encode(p)
//	…
//	p, err := codec.Decode(file, "shop.markgen")
//
// Decoding returns what was encoded, including everything needed for further merging. A file is
// read completely or not at all: any changed byte is an error. Readers of untrusted files should
// check NamesSize first.
package codec
