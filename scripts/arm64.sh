#!/bin/sh
# Runs the runtime's tests for linux/arm64 under qemu's user-mode emulation, which it
# installs if it may: first the tests that start no programs, then those that do, which
# run natively with only their programs under qemu. Without qemu the tests are only
# compiled, and counted as skipped. bin/tests/arm64* are for gotest -sum.
set -e
cd "$(dirname "$0")/.."
mkdir -p bin/tests
[ -x bin/gotest ] || go build -o bin/gotest ./scripts/gotest
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
	exec bin/gotest -o bin/tests/arm64 go test -tags=markgen_virtual -json ./runtime/...
fi
if [ -z "$qemu" ]; then
	echo "linux/arm64: the runtime's tests are compiled only: no qemu-aarch64 here; install qemu-user-static" >&2
	GOOS=linux GOARCH=arm64 go test -tags=markgen_virtual -c -o /dev/null ./runtime/perf
	echo '{"Skipped": {"no qemu-aarch64 here; install qemu-user-static": ["the runtime on linux/arm64"]}}' >bin/tests/arm64
	exit 0
fi

# run NAME ARGUMENT... tests package perf and keeps the counts in bin/tests/NAME.
run() {
	name=$1
	shift
	bin/gotest -o "bin/tests/$name" go test -tags=markgen_virtual -json -vet=off -count=1 -timeout 7m "$@" ./runtime/perf
}
(export GOOS=linux GOARCH=arm64; run arm64 -exec "env MARKGEN_TEST_EMULATED=1 $qemu")
# The tests that were skipped there because they start programs.
programs=$(sed -n '/start the programs/,/\]/s/.* \(Test[A-Za-z0-9]*\).*/\1/p' bin/tests/arm64 | sort -u | paste -sd '|' -)
# Cases that take long under qemu, and have a variant with 200 goroutines, run only in make corpus.
skip='^TestWaysToEnd$/./^(million[128]|procs2000)$'
[ "$MARKGEN_TESTS" = corpus ] && skip='^$'
run arm64-programs -exec "env GOOS=linux GOARCH=arm64 MARKGEN_TEST_EMULATOR=$qemu" -run "^($programs)\$" -skip "$skip"
echo "linux/arm64: PASS"
