#!/bin/sh
# Runs the runtime's tests for linux/arm64 under qemu's user-mode emulation,
# which it installs where it may. Without it the tests are compiled and said not
# to have run.
set -e
cd "$(dirname "$0")/.."
qemu=$(command -v qemu-aarch64-static || command -v qemu-aarch64 || true)
if [ -z "$qemu" ] && command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
	echo "installing qemu-user-static"
	log=$(mktemp)
	if ! { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends qemu-user-static; } >"$log" 2>&1; then
		cat "$log"
	fi
	rm -f "$log"
	qemu=$(command -v qemu-aarch64-static || true)
fi
if [ "$(uname -m)" = aarch64 ]; then
	exec go test ./runtime
fi
if [ -z "$qemu" ]; then
	echo "linux/arm64: the runtime's tests are compiled only: no qemu-aarch64 here; install qemu-user-static" >&2
	GOOS=linux GOARCH=arm64 go test -c -o /dev/null ./runtime
	exit 0
fi

dir=$(mktemp -d)
trap 'pkill -KILL -f "$dir/runtime.test" || true; rm -rf "$dir"' EXIT
GOOS=linux GOARCH=arm64 go test -c -o "$dir/runtime.test" ./runtime
cd runtime
run() {
	GOOS=linux GOARCH=arm64 MARKGEN_TEST_EMULATOR=$qemu "$qemu" "$dir/runtime.test" -test.timeout 7m >"$dir/log" 2>&1
}
if ! run; then
	cat "$dir/log"
	# Between fork and exec a child may wait forever for a lock of qemu's own.
	if ! grep -q 'test timed out' "$dir/log" || ! grep -q '^syscall.forkExec' "$dir/log"; then
		exit 1
	fi
	echo "linux/arm64: a child has not come to its program under qemu; once more" >&2
	pkill -KILL -f "$dir/runtime.test" || true
	if ! run; then
		cat "$dir/log"
		exit 1
	fi
fi
echo "linux/arm64: $(tail -n 1 "$dir/log")"
