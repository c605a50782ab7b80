#!/bin/sh
# Runs go mod tidy in each module. The modules require unreleased versions of each other, so they
# are taken from this checkout.
set -eu
cd "$(dirname "$0")/.."
version=$(sed -n 's|.*markgen/runtime \(v[^ ]*\) =>.*|\1|p' go.work)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for module in . service tests bench; do
	cp "$module/go.mod" "$work/go.mod"
	for other in markgen/runtime:runtime markgen/service:service markgen/tests:tests markgen:.; do
		GOWORK=off go mod edit -replace="github.com/markgen/${other%%:*}=$PWD/${other##*:}" "$work/go.mod"
	done
	[ ! -f "$module/go.sum" ] || cp "$module/go.sum" "$work/go.sum"
	GOWORK=off go -C "$module" mod tidy -modfile="$work/go.mod"
	for other in markgen/runtime markgen/service markgen/tests markgen; do
		GOWORK=off go mod edit -dropreplace="github.com/markgen/$other" "$work/go.mod"
	done
	# New requirements get the version in go.work.
	sed -i "s/ v0\.0\.0-00010101000000-000000000000/ $version/" "$work/go.mod"
	cp "$work/go.mod" "$work/go.sum" "$module/"
done
