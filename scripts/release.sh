#!/bin/sh
# Prepares the go.mod and go.sum files for a release: release.sh v0.2.0
# All modules get the version. The go.sum of a module has sums of other modules that are not
# published yet, so the script tags them one after the other in a clone that replaces the
# repository. The sums depend only on a module's files, and so are right for the commit with all
# changes. Nothing is published, tagged or committed in the repository itself.
set -eu
version=${1:?usage: release.sh vX.Y.Z}
cd "$(dirname "$0")/.."
root=$PWD
if [ -n "$(git status --porcelain)" ]; then
	echo "there are changes that are not committed; commit them first" >&2
	exit 1
fi
path=$(GOWORK=off go list -m)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git clone -q . "$work/src"
cd "$work/src"

# Other modules come from the local module cache if they are in it.
GOPROXY="file://$(go env GOMODCACHE)/cache/download,$(go env GOPROXY)"
GOMODCACHE=$work/mod
GOPRIVATE=$path
GOFLAGS=-modcacherw
GIT_CONFIG_GLOBAL=$work/gitconfig
export GOPROXY GOMODCACHE GOPRIVATE GOFLAGS GIT_CONFIG_GLOBAL
git config --global url."file://$work/src".insteadOf "https://$path"
git config --global user.name release
git config --global user.email release@localhost

# Modules follow the modules that they require. Of these, tests is not published: bench requires it.
modules="runtime . service tests"
for dir in $modules; do
	name=$path
	[ "$dir" = . ] || name=$path/$dir
	sed -i "s|^\(.*[[:space:]]$name\) v[^ ]* =>|\1 $version =>|" go.work
	for user in . service tests bench; do
		if [ -f $user/go.mod ] && grep -q "$name v" $user/go.mod; then
			go mod edit -require "$name@$version" $user/go.mod
		fi
	done
done
export GOWORK=off
for dir in $modules bench; do
	echo "$dir"
	(cd "$dir" && go mod tidy && go build -trimpath ./...)
	git add -A
	git commit -q --allow-empty -m "$dir"
	case $dir in
	bench) ;;
	.) git tag "$version" ;;
	*) git tag "$dir/$version" ;;
	esac
done
git diff --name-only "$(git -C "$root" rev-parse HEAD)" >"$work/changed"
while read -r name; do
	cp "$name" "$root/$name"
done <"$work/changed"
git -C "$root" diff --stat
