// Package codec writes and reads the profile file, in which runs were added up: docs/profile-file.md
// describes it.
//
//	file, err := codec.Encode(p)
//	…
//	p, err := codec.Decode(file, "shop.markgen")
//
// What is decoded is what was encoded, with all that adding up further needs. A file is read as a whole or
// not at all: a byte that is not as it was written is an error. Whoever reads files of strangers looks
// at NamesSize first.
package codec
