#!/bin/sh
# Runs a command on linux/amd64 as if the machine could not run programs for linux/386, to check
# that tests are skipped there:
#
#	go test -exec "$PWD/scripts/no386.sh" -v -run 32Bits ./overlay
#
# In a user namespace of its own (Linux 6.7) such programs get an interpreter that does not exist.
exec unshare -Urm sh -ec '
mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc
printf ":i386:M::\177ELF\001\001\001\000\000\000\000\000\000\000\000\000\002\000\003\000::/nowhere:" >/proc/sys/fs/binfmt_misc/register
exec "$@"' sh "$@"
