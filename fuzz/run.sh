#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds fuzz harnesses with clang, address and undefined behaviour sanitizers and runs each for some seconds from its seeds.
# usage: fuzz/run.sh [SECONDS [NAME...]]      (default: 60 seconds, all harnesses; 0 seconds: the seeds alone)
#        fuzz/run.sh build                    (all harnesses, none is run)
# What is found lands in $FUZZ_BUILD/findings (default build-fuzz), and the exit status is 1. New inputs are kept beside it;
# the seeds in fuzz/corpus/ are only read.
set -eu

seconds=${1:-60}
[ $# -gt 0 ] && shift
source=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
build=${FUZZ_BUILD:-$source/build-fuzz}

if [ $# -eq 0 ]; then
	for harness in "$source"/fuzz/fuzz_*.c; do
		name=${harness##*/fuzz_}
		set -- "$@" "${name%.c}"
	done
fi

configure() {
	CC=${CC:-clang} meson setup "$build" "$source" -Dfuzz=enabled -Dtests=disabled -Dman=disabled -Dbuildtype=debugoptimized \
		-Db_sanitize=address,undefined -Db_lundef=false -Dc_args=-fsanitize=fuzzer-no-link
}
# Several of these may run at once; one of them builds.
mkdir -p "$build/findings"
build_harnesses() (
	flock 9
	[ -f "$build/build.ninja" ] || configure
	for name; do
		set -- "$@" "fuzz/fuzz_$name"
		shift
	done
	ninja -C "$build" "$@"
) 9>"$build/lock"
build_harnesses "$@"
[ "$seconds" = build ] && exit

status=0
for name; do
	if [ "$seconds" = 0 ]; then
		long=-runs=0
	else
		long=-max_total_time=$seconds
	fi
	mkdir -p "$build/corpus/$name"
	UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 "$build/fuzz/fuzz_$name" "$long" -max_len=8192 \
		-timeout=5 -print_final_stats=1 -artifact_prefix="$build/findings/$name-" \
		"$build/corpus/$name" "$source/fuzz/corpus/$name" || status=1
done
exit "$status"
