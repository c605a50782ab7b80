// Package environ reads and changes environments: lists of "key=value".
//
//	cmd.Env = environ.Set(os.Environ(), "GOFLAGS", "-buildvcs=false")
package environ

import "strings"

// Get returns the value of a variable, or "" if it is not set. The last of equal keys counts, as in
// package os/exec.
func Get(environ []string, key string) string {
	for i := len(environ) - 1; i >= 0; i-- {
		if k, v, _ := strings.Cut(environ[i], "="); k == key {
			return v
		}
	}
	return ""
}

// Set returns a copy of the environment with the variable set to value.
func Set(environ []string, key, value string) []string {
	set := make([]string, 0, len(environ)+1)
	for _, kv := range environ {
		if k, _, _ := strings.Cut(kv, "="); k != key {
			set = append(set, kv)
		}
	}
	return append(set, key+"="+value)
}
