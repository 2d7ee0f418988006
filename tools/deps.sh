#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs those packages of tools/packages.txt that are missing: deps.sh GROUP... (build, check, bench, truth, v2-host); and with npm, where that is there,
# those of web/package-lock.json.
set -eu

# Without them assay is built all the same: its pages have pictures in place of charts, and the tests of pages are left out.
web_modules() {
	web=$(dirname "$0")/../web
	command -v npm >/dev/null || return 0
	[ -z "$(find "$web/package-lock.json" -newer "$web/node_modules/.package-lock.json" 2>&1)" ] && return 0
	echo "deps: installing the packages of web/package-lock.json"
	(cd "$web" && npm ci --no-fund --no-audit --fetch-retries=1 --fetch-timeout=30000 </dev/null) ||
		echo "deps: npm could not install them; going on without them" >&2
}

list=$(dirname "$0")/packages.txt
wanted=
for group; do
	wanted="$wanted $(awk -v group="$group" '$1 == group { print $2 }' "$list")"
done

if ! command -v apt-get >/dev/null; then
	# shellcheck disable=SC2086 # a list of words
	echo "deps: this is not Debian; needed, under its names there:" $wanted >&2
	web_modules
	exit 0
fi

missing=
for package in $wanted; do
	# shellcheck disable=SC2016 # a format of dpkg-query
	state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
	case " $missing " in *" $package "*) continue ;; esac
	# Node.js has packages of its own, of which npm is a part and with which Debian's do not go together.
	case $package in nodejs | npm) command -v "$package" >/dev/null && continue ;; esac
	[ "$state" = installed ] || missing="$missing $package"
done
if [ -z "$missing" ]; then
	web_modules
	exit 0
fi

as_root=
if [ "$(id -u)" != 0 ]; then
	if ! command -v sudo >/dev/null; then
		echo "deps: missing, and only root can install:$missing" >&2
		exit 1
	fi
	as_root=sudo
fi

echo "deps: installing$missing"
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -q </dev/null
# shellcheck disable=SC2086 # a list of words
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing </dev/null
web_modules
