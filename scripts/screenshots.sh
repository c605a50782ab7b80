#!/bin/sh
# Makes the pictures in docs/images with Chromium: the html report of the demo application, markgen
# top beside it, and the service's page of the demo's functions.
set -eu
cd "$(dirname "$0")/.."
root=$PWD
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
if [ -z "$browser" ]; then
	echo "screenshots: Chromium is needed to make pictures; install chromium" >&2
	exit 1
fi
dir=$(mktemp -d)
server= && program=
stop() {
	for process in $server $program; do kill "$process" 2>/dev/null || true; done
	rm -rf "$dir"
}
trap stop EXIT
PATH=$root/bin:$PATH
cd testdata/demo
markgen build -all -o "$dir/demo" .
cd "$dir"

# picture NAME WIDTH HEIGHT URL
picture() {
	"$browser" --headless=new --no-sandbox --hide-scrollbars --force-device-scale-factor=1 --user-data-dir="$dir/chromium" \
		--virtual-time-budget=5000 --window-size="$2,$3" --screenshot="$dir/$1.png" "$4" >"$dir/chromium.log" 2>&1 ||
		{ cat "$dir/chromium.log"; exit 1; }
	mv "$dir/$1.png" "$root/docs/images/$1.png"
	echo "docs/images/$1.png"
}

(
	cd "$root/testdata/demo"
	markgen run -funcs -min 40 -paths -markpkg ./...,strings -report none -o "$dir/demo.markgen" . >/dev/null
	markgen report -format html -link none -o "$dir/report.html" "$dir/demo.markgen"
)
MARKGEN=spool=spool ./demo >/dev/null
picture report 1320 640 "file://$dir/report.html"

MARKGEN=file=live.markgen ./demo -lines 20000000 >/dev/null 2>&1 &
program=$!
sleep 2
{
	echo '<!doctype html><meta charset=utf-8><body style="background:#1e1e1e;color:#ddd"><pre style="font:13px/1.35 monospace">'
	COLUMNS=130 markgen top -once -sort self live.markgen | head -24 | sed 's/&/\&amp;/g; s/</\&lt;/g'
	echo '</pre>'
} >top.html
kill "$program" && program=
picture top 1120 460 "file://$dir/top.html"

markgend -db store.db -addr 127.0.0.1:0 -public-read -public-ingest >url 2>log &
server=$!
until [ -s url ]; do sleep 0.1; done
url=$(cat url)
markgen push -server "$url" spool >/dev/null
for _ in $(seq 100); do
	curl -sS "${url}search?q=resolver" | grep -q 'href="/api/' && break
	sleep 0.2
done
api=$(curl -sS "${url}search?q=resolver.name" | grep -o '/api/[0-9a-f]*' | head -1)
picture service 1120 640 "${url%/}$api"
