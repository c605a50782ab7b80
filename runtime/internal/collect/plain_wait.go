package collect

// openWait returns no reader: only deep builds know what goroutines wait for.
func openWait(*Process) (r *Reader, missing []string) {
	return nil, []string{"what goroutines wait for is known to programs that were built with -deep"}
}

// Close does nothing: only deep builds follow goroutines.
func Close() {}
