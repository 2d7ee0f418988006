#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs those packages of tools/packages.txt that are missing: deps.sh GROUP... (build, check, bench, v2-host).
set -eu

list=$(dirname "$0")/packages.txt
wanted=
for group; do
	wanted="$wanted $(awk -v group="$group" '$1 == group { print $2 }' "$list")"
done

if ! command -v apt-get >/dev/null; then
	# shellcheck disable=SC2086 # a list of words
	echo "deps: this is not Debian; needed, under its names there:" $wanted >&2
	exit 0
fi

missing=
for package in $wanted; do
	# shellcheck disable=SC2016 # a format of dpkg-query
	state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
	case " $missing " in *" $package "*) continue ;; esac
	[ "$state" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

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
