// This file is empty: its presence lets linkname.go declare functions whose bodies
// are in the Go runtime.
