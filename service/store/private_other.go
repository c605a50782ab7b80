//go:build !unix

package store

import "io/fs"

const hasModes = false

func owned(fs.FileInfo, fs.FileInfo) bool { return true }
