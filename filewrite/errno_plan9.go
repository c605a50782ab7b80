package filewrite

// Errors of Plan 9 are texts of the file server, which explain themselves.

func isReadOnly(error) bool { return false }

func isFull(error) bool { return false }
