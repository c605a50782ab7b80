// This file is empty: its presence lets pin.go and plain_alloc.go declare functions whose bodies
// are in the Go runtime.
