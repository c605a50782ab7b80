package datafile

// The system calls by which a keeper is asked. Linux has them on 386 since 4.3; package syscall has
// only the one before, socketcall, and an older kernel says that there are none, as if there were no
// keeper.
const (
	sysConnect = 362
	sysSendto  = 369
	sysRecvmsg = 372
)
