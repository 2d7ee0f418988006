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

# As systemd leaves it: the controllers are on below the root, and the tests are in a leaf, as a service would be.
# A cgroup that others may be made in holds no process itself, so the leaf has a parent of its own.
controllers="+memory +cpu +pids +io"
echo "$controllers" >/sys/fs/cgroup/cgroup.subtree_control
group=/sys/fs/cgroup/tests.slice
mkdir -p "$group"
echo "$controllers" >"$group/cgroup.subtree_control"
mkdir "$group/tests.scope"
user=$(cat /work/v2_host_user)
if [ -n "$user" ]; then
	id "$user" >/dev/null 2>&1 || useradd --system --no-create-home --shell /usr/sbin/nologin "$user"
	for file in "$group" "$group/cgroup.procs" "$group/cgroup.threads" "$group/cgroup.subtree_control" \
		"$group/tests.scope" "$group/tests.scope/"cgroup.*; do
		chown "$user" "$file"
	done
fi
echo 0 >"$group/tests.scope/cgroup.procs"

# What the results were got on.
uname -rv
cat /proc/self/cgroup
grep cgroup /proc/self/mountinfo
echo "perf_event_paranoid $(cat /proc/sys/kernel/perf_event_paranoid), $(nproc) CPUs, $(grep MemTotal /proc/meminfo)"

cd /work || exit
# A process takes about fifty times as long to start and end here as on hardware: measured 4.4 ms of CPU, against 0.1.
export PYTHONDONTWRITEBYTECODE=1 ASSAY=/work/build/assay ASSAY_TEST_SLOWNESS=50
if [ -s v2_host_shell ]; then
	sh v2_host_shell
else
	set -- -q -ra -p no:cacheprovider --durations=8 --junitxml=/tmp/report.xml
	while read -r argument; do
		set -- "$@" "$argument"
	done <v2_host_arguments
	if [ -n "$user" ]; then
		setpriv --reuid "$user" --regid "$user" --clear-groups python3 -m pytest "$@"
	else
		python3 -m pytest "$@"
	fi
	echo "pytest: exit status $?"
	stty -F /dev/ttyS1 raw
	cat /tmp/report.xml >/dev/ttyS1
fi
sync
# There is no init to ask: the kernel is told.
echo o >/proc/sysrq-trigger
sleep 60
