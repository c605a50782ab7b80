// This file is empty: its presence lets rights_linux.go declare a function whose body
// is in the Go runtime.
