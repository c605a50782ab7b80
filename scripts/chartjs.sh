#!/bin/sh
# Fetches the chart library of html reports, with its licences, from the npm registry into
# report/assets/chartjs. For a newer version, change the versions here (the version of the
# colour library is at the top of the bundle), run this, review the difference, and run
# the tests of ./report.
set -eu
chartjs=4.6.1
color=0.3.2
to=$(cd "$(dirname "$0")/.." && pwd)/report/assets/chartjs
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm pack --silent "chart.js@$chartjs" "@kurkle/color@$color" >packed # checks them against the registry's sums
for package in *.tgz; do
	mkdir "${package%.tgz}" && tar -xzf "$package" -C "${package%.tgz}" --strip-components 1
done
mkdir -p "$to"
cp "chart.js-$chartjs/dist/chart.umd.min.js" "$to/chart.umd.min.js"
cp "chart.js-$chartjs/LICENSE.md" "$to/LICENSE.md"
cp "kurkle-color-$color/LICENSE.md" "$to/LICENSE-color.md"
grep -q "Chart.js v$chartjs" "$to/chart.umd.min.js"
grep -q "@kurkle/color v$color" "$to/chart.umd.min.js"
cd "$to" && sha256sum LICENSE-color.md LICENSE.md chart.umd.min.js >SHA256SUMS
