#!/bin/sh
# Copies the licences of a command's dependencies into a folder: licences.sh PACKAGE DIR
set -eu
package=$1 to=$2
rm -rf "$to"
mkdir -p "$to/go"
cp "$(go env GOROOT)/LICENSE" "$to/go/LICENSE"
list=$(mktemp)
trap 'rm -f "$list"' EXIT
for goos in linux darwin windows; do
	GOOS=$goos go list -deps -f '{{with .Module}}{{if not .Main}}{{.Path}} {{.Dir}}{{end}}{{end}}' "$package" >>"$list"
done
sort -u -o "$list" "$list"
while read -r path dir; do
	mkdir -p "$to/$path"
	found=
	for file in "$dir"/LICEN[CS]E* "$dir"/COPYING* "$dir"/NOTICE*; do
		[ ! -f "$file" ] || { cp "$file" "$to/$path/" && found=1; }
	done
	[ -n "$found" ] || { echo "$path has no licence in $dir" >&2; exit 1; }
done <"$list"
