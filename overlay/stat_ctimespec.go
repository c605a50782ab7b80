//go:build darwin || netbsd || freebsd

package overlay

import "syscall"

func changeTime(st *syscall.Stat_t) *syscall.Timespec { return &st.Ctimespec }
