#!/bin/sh
# The step of the GitHub Action in action.yml that compares: it builds the base and
# the head of a change, runs both in turn, writes what differs to the summary of the
# job, and fails if the gate does. It runs in a checkout of the head. Settings are in
# the environment:
#
#   BASE       revision to compare with; fetched from origin if the clone lacks it
#   PACKAGES   packages, and FLAGS flags of go test, separated by spaces
#   MARK       flags of markgen test that say what to mark
#   RUNS       runs of each side
#   GATE       what fails: counts, all (times, too) or none
#   THRESHOLD  the smallest change that fails
#   OUT        folder for the runs, the summary and the page; it is made anew
#   SOURCE     folder with markgen's source
#
# GitHub sets GITHUB_STEP_SUMMARY, GITHUB_OUTPUT and RUNNER_TEMP.
set -euf

fail() {
	echo "::error title=markgen::$1"
	exit 2
}

case $GATE in
counts | all | none) ;;
*) fail "gate is $GATE; it is counts, all or none" ;;
esac
[ -n "$BASE" ] || fail "there is no base; set base, as only pull_request and push events have one"

echo "::group::Build markgen"
bin=$RUNNER_TEMP/markgen-bin
mkdir -p "$bin"
(cd "$SOURCE" && GOFLAGS='' GOWORK='' GOOS='' GOARCH='' go build -o "$bin/" ./cmd/markgen)
PATH=$bin:$PATH
markgen version
echo "::endgroup::"

# The tip of the base: on pull_request, the checkout is its merge with the head.
if ! git rev-parse --quiet --verify "$BASE^{commit}" >/dev/null; then
	git fetch --quiet --no-tags --depth=1 origin "$BASE" ||
		fail "the base $BASE can't be fetched; check out with fetch-depth: 0"
	BASE=FETCH_HEAD
fi
base=$(git rev-parse --verify "$BASE^{commit}")

echo "::group::Run base and head in turn"
rm -rf "$OUT"
mkdir -p "$OUT"
# shellcheck disable=SC2086 # MARK, FLAGS and PACKAGES are lists
markgen test $MARK -runs "$RUNS" -o "$OUT" -report none -old "$base" $FLAGS $PACKAGES ||
	fail "the base or the head does not build, or its tests fail; see above"
echo "::endgroup::"

# differs writes what differs, by counts or, if they are false, by times. It fails if that is worse.
differs() {
	markgen diff "-counts=$1" -threshold "$THRESHOLD" -format markdown "$OUT/old" -- "$OUT/new"
}
counts=0 times=0
{
	echo "## Performance of $(git rev-parse --short HEAD) against $(git rev-parse --short "$base")"
	echo
	echo "The gate is \`$GATE\`. The runs, and a page with the distributions, are in the artifact."
	echo
	differs true || counts=1
	echo
	differs false || times=1
} >"$OUT/summary.md"
cat "$OUT/summary.md" >>"$GITHUB_STEP_SUMMARY"
markgen report -format html -threshold "$THRESHOLD" -o "$OUT/change.html" "$OUT/old" -- "$OUT/new"

worse=false
case $GATE:$counts:$times in
counts:1:* | all:1:* | all:*:1) worse=true ;;
esac
echo "worse=$worse" >>"$GITHUB_OUTPUT"
if $worse; then
	echo "::error title=markgen::Something got worse: see the summary of the job, and change.html in its artifact"
	exit 1
fi
