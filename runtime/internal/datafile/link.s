// This file is empty: its presence lets read.go declare a function whose body
// is in the Go runtime.
