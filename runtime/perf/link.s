// This file is empty: its presence lets link.go declare functions whose bodies
// are in the Go runtime.
