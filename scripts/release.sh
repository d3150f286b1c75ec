#!/bin/sh
# Makes a release in a directory: archives, packages, a bill of materials and checksums, for
# linux on amd64 and arm64. The same commit and the same Go give the same bytes, wherever
# and whenever.
set -eu
[ $# = 1 ] || { echo 'usage: release.sh DIR' >&2; exit 2; }
cd "$(dirname "$0")/.."
if [ -n "$(git status --porcelain)" ]; then
	echo 'release: the tree has changes: commit them first' >&2
	exit 1
fi
rm -rf "$1"
mkdir -p "$1"
out=$(cd "$1" && pwd)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH GOFLAGS= GOAMD64=v1 GOARM64=v8.0 CGO_ENABLED=0 GOOS=linux LC_ALL=C TZ=UTC
umask 022
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
GOOS= GOARCH= go build -o "$work/nfpm" -modfile=.ci/nfpm.mod github.com/goreleaser/nfpm/v2/cmd/nfpm
GOOS= GOARCH= go build -trimpath -buildvcs=false -o "$work/bill" -modfile=.ci/cyclonedx.mod github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod

for arch in amd64 arm64; do
	GOARCH=$arch make -s build BIN="$work/$arch/bin/"
	version=$(go version -m "$work/$arch/bin/pai" | awk '$1 == "mod" {print substr($3, 2)}')
	name=pai-$version-linux-$arch
	make -s install-files BIN="$work/$arch/bin/" DESTDIR="$work/$arch" PREFIX="/$name"
	install -m 644 LICENSE README.md "$work/$arch/$name/"
	tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner -C "$work/$arch" -cf - "$name" |
		gzip -9n >"$out/$name.tar.gz"

	for kind in deb rpm; do
		tree=$work/$arch/$kind
		zsh=$tree/usr/share/zsh/site-functions
		[ $kind = rpm ] || zsh=$tree/usr/share/zsh/vendor-completions
		make -s install-files BIN="$work/$arch/bin/" DESTDIR="$tree" PREFIX=/usr ZSH="$zsh"
		gzip -9n "$tree"/usr/share/man/man*/*
		examples=$tree/usr/share/doc/pai/examples
		mkdir -p "$examples"
		cp -r scripts/fleet scripts/git-pai scripts/pai.lua scripts/examples "$examples/"
		chmod -R u=rwX,go=rX "$examples"
		ARCH=$arch VERSION=$version TREE=$tree "$work/nfpm" package -f scripts/package/nfpm.yaml -p $kind -t "$out/$name.$kind" >&2
	done
done
GOOS='' "$work/bill" mod -json -type application -noserial -notimestamp -output "$out/pai-$version.cdx.json"
cd "$out"
sha256sum -- * >SHA256SUMS
cat SHA256SUMS
