#!/bin/sh
# Makes sure that programs which tests start are installed: need.sh PROGRAM:PACKAGE …
# It installs the Debian packages of missing programs, or, if that is not allowed,
# fails and names them.
has() {
	command -v "$1" >/dev/null && return
	# Debian does not put programs with several versions on the path.
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
# Tests start their own servers; installing a package must not start one.
mkdir -p /usr/sbin && [ -e /usr/sbin/policy-rc.d ] || { printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d && chmod +x /usr/sbin/policy-rc.d && made=1; }
# shellcheck disable=SC2086
if ! { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing; } >"$log" 2>&1; then
	cat "$log" >&2
	echo "tests need$missing, which could not be installed" >&2
	[ -z "$made" ] || rm -f /usr/sbin/policy-rc.d
	exit 1
fi
[ -z "$made" ] || rm -f /usr/sbin/policy-rc.d
