package store

import "time"

// SetLease says how soon a writer that does not renew is taken for gone.
func SetLease(d time.Duration) { lease, beats = d, d/5 }
