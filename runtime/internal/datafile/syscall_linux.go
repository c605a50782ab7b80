//go:build !386

package datafile

import "syscall"

// The system calls by which a keeper is asked.
const (
	sysConnect = syscall.SYS_CONNECT
	sysSendto  = syscall.SYS_SENDTO
	sysRecvmsg = syscall.SYS_RECVMSG
)
