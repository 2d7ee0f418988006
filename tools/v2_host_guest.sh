#!/bin/sh
# SPDX-License-Identifier: MIT
# The first process of the machine that tools/v2_host.py boots: mounts what a v2-only host has, runs the tests, ends it.
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 HOME=/root TERM=dumb
mount -t devtmpfs -o nosuid dev /dev
exec </dev/null >/dev/ttyS0 2>&1

mount -t proc -o nosuid,nodev,noexec proc /proc
mount -t sysfs -o nosuid,nodev,noexec sysfs /sys
mount -t tmpfs -o mode=755 tmpfs /run
mount -t tmpfs -o mode=1777 tmpfs /tmp
mkdir -p /dev/pts /dev/shm
mount -t devpts devpts /dev/pts
mount -t tmpfs -o mode=1777 tmpfs /dev/shm
ln -s /proc/self/fd /dev/fd
mount -t cgroup2 -o nosuid,nodev,noexec,nsdelegate cgroup2 /sys/fs/cgroup
mount -o remount,rw /
ip link set lo up 2>/dev/null

# As systemd leaves it: the controllers are on below the root and below a slice, and the tests are in a leaf of that,
# for a cgroup that hands controllers on may hold no process itself.
controllers="+memory +cpu +pids +io"
echo "$controllers" >/sys/fs/cgroup/cgroup.subtree_control
group=/sys/fs/cgroup/tests.slice
mkdir -p "$group"
echo "$controllers" >"$group/cgroup.subtree_control"
mkdir "$group/tests.scope"
echo 0 >"$group/tests.scope/cgroup.procs"

# What the results were got on.
uname -rv
cat /proc/self/cgroup
grep cgroup /proc/self/mountinfo
echo "perf_event_paranoid $(cat /proc/sys/kernel/perf_event_paranoid), $(nproc) CPUs, $(grep MemTotal /proc/meminfo)"

cd /opt/assay || exit
# A process takes some fifty times as long to start and end here as on hardware: measured 4.4 ms of CPU, against 0.1, on an idle machine, and twice
# that where others keep its processors busy, for an emulated processor takes the time it has to wait for its own.
export PYTHONDONTWRITEBYTECODE=1 ASSAY=/opt/assay/build/assay ASSAY_TEST_SLOWNESS=100
if [ -s v2_host_shell ]; then
	sh v2_host_shell
else
	set -- -q -ra -p no:cacheprovider --durations=8 --junitxml=/tmp/report.xml
	while read -r argument; do
		set -- "$@" "$argument"
	done <v2_host_arguments
	python3 -m pytest "$@"
	echo "pytest: exit status $?"
	stty -F /dev/ttyS1 raw
	cat /tmp/report.xml >/dev/ttyS1
fi
sync
# There is no init to ask: the kernel is told.
echo o >/proc/sysrq-trigger
sleep 60
