#!/bin/sh
# Runs a command on linux/amd64 as on a machine that runs no programs for linux/386, to see that tests say so:
#
#	go test -exec "$PWD/scripts/no386.sh" -v -run 32Bits ./overlay
#
# In a user namespace of its own (Linux 6.7) such programs get an interpreter that is not there.
exec unshare -Urm sh -ec '
mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc
printf ":i386:M::\177ELF\001\001\001\000\000\000\000\000\000\000\000\000\002\000\003\000::/nowhere:" >/proc/sys/fs/binfmt_misc/register
exec "$@"' sh "$@"
