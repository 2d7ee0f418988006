#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds every fuzz harness with clang, address and undefined behaviour sanitizers and runs each for some seconds from its seeds.
# usage: fuzz/run.sh [SECONDS [NAME...]]      (default: 60 seconds, all harnesses)
# What is found lands in $FUZZ_BUILD/findings (default build-fuzz), and the exit status is 1. New inputs are kept beside it;
# the seeds in fuzz/corpus/ are only read.
set -eu

seconds=${1:-60}
[ $# -gt 0 ] && shift
source=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
build=${FUZZ_BUILD:-$source/build-fuzz}

# Several of these may run at once; one of them builds.
mkdir -p "$build/findings"
build_harness() (
	flock 9
	[ -f "$build/build.ninja" ] || configure
	ninja -C "$build" "fuzz/fuzz_$1"
) 9>"$build/lock"
configure() {
	CC=clang meson setup "$build" "$source" -Dfuzz=enabled -Dtests=disabled -Dman=disabled -Dbuildtype=debugoptimized \
		-Db_sanitize=address,undefined -Db_lundef=false -Dc_args=-fsanitize=fuzzer-no-link
}
if [ $# -eq 0 ]; then
	for harness in "$source"/fuzz/fuzz_*.c; do
		name=${harness##*/fuzz_}
		set -- "$@" "${name%.c}"
	done
fi

status=0
for name in "$@"; do
	build_harness "$name"
	mkdir -p "$build/corpus/$name"
	UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 "$build/fuzz/fuzz_$name" -max_total_time="$seconds" -max_len=8192 \
		-timeout=5 -print_final_stats=1 -artifact_prefix="$build/findings/$name-" \
		"$build/corpus/$name" "$source/fuzz/corpus/$name" || status=1
done
exit "$status"
