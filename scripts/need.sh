#!/bin/sh
# Sees to programs that tests start: need.sh PROGRAM:PACKAGE …
# What is missing is installed from the Debian package where that is allowed. It
# fails, naming what is missing, where it is not.
has() {
	command -v "$1" >/dev/null && return
	# Debian keeps programs of which there may be several versions off the path.
	for file in /usr/lib/*/*/bin/"$1"; do
		[ -x "$file" ] && return
	done
	return 1
}
missing=
for pair; do
	has "${pair%%:*}" || missing="$missing ${pair##*:}"
done
[ -z "$missing" ] && exit 0
if ! command -v apt-get >/dev/null || [ "$(id -u)" != 0 ]; then
	echo "tests need$missing, and only root can install it: apt-get install$missing" >&2
	exit 1
fi
echo "installing$missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# Servers are started by the tests, each its own; none is to run beside them.
mkdir -p /usr/sbin && [ -e /usr/sbin/policy-rc.d ] || { printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d && chmod +x /usr/sbin/policy-rc.d && made=1; }
# shellcheck disable=SC2086
if ! { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing; } >"$log" 2>&1; then
	cat "$log" >&2
	echo "tests need$missing, which could not be installed" >&2
	[ -z "$made" ] || rm -f /usr/sbin/policy-rc.d
	exit 1
fi
[ -z "$made" ] || rm -f /usr/sbin/policy-rc.d
