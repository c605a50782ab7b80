//go:build unix && !darwin && !netbsd && !freebsd

package overlay

import "syscall"

func changeTime(st *syscall.Stat_t) *syscall.Timespec { return &st.Ctim }
