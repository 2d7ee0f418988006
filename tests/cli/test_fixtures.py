# SPDX-License-Identifier: MIT
"""What assay reads from each recorded machine, in numbers worked out by hand from the files; tests/fixtures/NAME/WHY says what each is."""
import functools
import json
import os
import shutil
import subprocess

import pytest

from support import REPOSITORY

FIXTURES = REPOSITORY / "tests" / "fixtures"
MIB, GIB = 2 ** 20, 2 ** 30
UNLIMITED = "unlimited"
MACHINES = ["slurm-v1-rhel8", "slurm-v2", "hybrid", "container-host-cgroupns", "container-private-cgroupns", "systemd-user-session", "hidepid",
            "node-128"]


@functools.lru_cache(maxsize=None)
def page_of(assay, name, *options):
    done = subprocess.run([str(assay), "doctor", "--json", "--root", str(FIXTURES / name), *options], check=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, timeout=60)
    return json.loads(done.stdout)


@pytest.fixture
def look(assay):
    return lambda name: page_of(assay, name)


def cgroups(page):
    """controller -> (version, directory below /sys/fs/cgroup, what top it is)"""
    return {c["name"]: (c.get("version"), c.get("directory", "").removeprefix("/sys/fs/cgroup").lstrip("/"), c.get("top"))
            for c in page["cgroups"]}


def limits(page, name, source):
    return [(limit["limit"], limit["where"].removeprefix("/sys/fs/cgroup/"), limit.get("hits_so_far")) for limit in page["limits"]
            if (limit["name"], limit["source"]) == (name, source)]


def tightest(page, name):
    found = [(limit["source"], limit["limit"]) for limit in page["limits"] if limit["name"] == name and limit["tightest"]]
    assert len(found) == 1, found
    return found[0]


def reading(page, key, device=None):
    found = [r for r in page["readings"] if r["name"] == key and r.get("device") == device]
    assert len(found) == 1, (key, device, found)
    return found[0].get("value", found[0].get("why"))


def test_slurm_on_version_1(look):
    page = look("slurm-v1-rhel8")
    step = "slurm/uid_1000/job_4242/step_0"
    assert cgroups(page) == {
        "cpu": (1, f"cpu,cpuacct/{step}/task_0", None), "cpuacct": (1, f"cpu,cpuacct/{step}/task_0", None),
        "cpuset": (1, f"cpuset/{step}", None), "memory": (1, f"memory/{step}/task_0", None),
        "pids": (1, "pids/system.slice/slurmd.service", None), "io": (1, "blkio/system.slice/slurmd.service", None),
        "pressure": (None, "", None)}
    assert limits(page, "memory", "cgroup") == [(3 * GIB, f"memory/{step}/memory.limit_in_bytes", 17)]
    assert limits(page, "memory_and_swap", "cgroup") == [(3 * GIB, f"memory/{step}/memory.memsw.limit_in_bytes", 17)]
    assert tightest(page, "memory") == ("cgroup", 3 * GIB)
    # No quota anywhere up to the root, which is seen: nothing is hidden, so nothing needs to be said.
    assert limits(page, "cpu", "cgroup") == []
    assert limits(page, "cpu", "cpuset") == [(8, f"cpuset/{step} (4-7,20-23)", None)]
    assert limits(page, "cpu", "affinity") == [(8, "/proc/PID/status Cpus_allowed_list (4-7,20-23)", None)]
    assert limits(page, "cpu", "host") == [(24, "/sys/devices/system/cpu/online", None)]
    assert tightest(page, "processes") == ("RLIMIT_NPROC", 127000)


def test_slurm_on_version_2(look):
    page = look("slurm-v2")
    scope = "system.slice/slurmstepd.scope"
    step = f"{scope}/job_4242/step_0"
    task = f"{step}/user/task_0"
    # Slurm enables neither io nor pids below its scope: the scope accounts for them.
    assert cgroups(page) == {"cpu": (2, task, None), "cpuacct": (2, task, None), "cpuset": (2, task, None), "memory": (2, task, None),
                             "pids": (2, scope, None), "io": (2, scope, None), "pressure": (2, task, None)}
    assert limits(page, "memory", "cgroup") == [(4 * GIB, f"{step}/memory.max", 12)]
    assert limits(page, "memory", "RLIMIT_AS") == [(16 * GIB, "/proc/PID/limits", None)]
    assert limits(page, "memory", "host") == [(65536000 * 1024, "/proc/meminfo MemTotal", None)]
    assert tightest(page, "memory") == ("cgroup", 4 * GIB)
    assert [limit[:2] for limit in limits(page, "swap", "cgroup")] == [(0, f"{step}/memory.swap.max")]
    assert limits(page, "processes", "cgroup") == [(5000, f"{scope}/pids.max", 0)]
    assert tightest(page, "cpu") == ("cpuset", 4)


def test_a_hybrid_host_is_looked_at_controller_by_controller(look):
    page = look("hybrid")
    session = "user.slice/user-1000.slice/session-3.scope"
    assert cgroups(page) == {
        "cpu": (1, "cpu,cpuacct/user.slice", None), "cpuacct": (1, "cpu,cpuacct/user.slice", None), "cpuset": (1, "cpuset", "hierarchy"),
        "memory": (1, f"memory/{session}", None), "pids": (1, f"pids/{session}", None), "io": (1, "blkio/user.slice", None),
        "pressure": (2, f"unified/{session}", None)}
    assert limits(page, "memory", "cgroup") == [(2 * GIB, "memory/user.slice/user-1000.slice/memory.limit_in_bytes", 3)]
    assert limits(page, "processes", "cgroup") == [(10813, "pids/user.slice/user-1000.slice/pids.max", 0)]
    assert limits(page, "cpu", "cgroup") == [(1.5, "cpu,cpuacct/user.slice/cpu.cfs_quota_us", 25)]
    assert tightest(page, "cpu") == ("cgroup", 1.5)


def test_a_container_that_sees_the_hosts_paths_and_its_part_of_the_tree(look):
    page = look("container-host-cgroupns")
    assert cgroups(page) == {
        "cpu": (1, "cpu,cpuacct", "namespace"), "cpuacct": (1, "cpu,cpuacct", "namespace"), "cpuset": (1, "cpuset", "namespace"),
        "memory": (1, "memory", "namespace"), "pids": (1, "pids", "namespace"), "io": (1, "blkio", "namespace"), "pressure": (None, "", None)}
    assert page["cgroups"][0]["path"] == "/docker/" + "0123456789abcdef" * 4
    assert limits(page, "memory", "cgroup") == [(512 * MIB, "memory/memory.limit_in_bytes", 9)]
    assert limits(page, "cpu", "cgroup") == [(2, "cpu,cpuacct/cpu.cfs_quota_us", 7)]
    assert limits(page, "processes", "cgroup") == [(100, "pids/pids.max", 2)]
    assert limits(page, "cpu", "cpuset") == [(2, "cpuset (0-1)", None)]
    hidden = [limit for limit in page["limits"] if limit["source"] == "cgroup" and limit["name"] in ("cpu", "processes")]
    assert all("hidden" in limit["note"] for limit in hidden) and len(hidden) == 2


def test_a_container_with_a_cgroup_namespace_of_its_own(look):
    page = look("container-private-cgroupns")
    assert set(cgroups(page).values()) == {(2, "", "namespace")}
    assert {c["path"] for c in page["cgroups"]} == {"/"}
    assert limits(page, "memory", "cgroup") == [(256 * MIB, "memory.max", 3), (200 * MIB, "memory.high", 44)]
    assert limits(page, "cpu", "cgroup") == [(0.5, "cpu.max", 320)]
    assert limits(page, "processes", "cgroup") == [(64, "pids.max", 0)]
    assert [limit[0] for limit in limits(page, "swap", "cgroup")] == [0]
    assert all("hidden" in limit["note"] for limit in page["limits"] if limit["source"] == "cgroup")


def test_a_scope_of_systemds_user_manager_has_the_controllers_that_were_delegated(look):
    page = look("systemd-user-session")
    user = "user.slice/user-1000.slice"
    scope = f"{user}/user@1000.service/app.slice/run-r1a2b.scope"
    assert cgroups(page) == {
        "cpu": (2, f"{user}/user@1000.service", None), "cpuacct": (2, scope, None), "cpuset": (None, "", None), "memory": (2, scope, None),
        "pids": (2, scope, None), "io": (2, user, None), "pressure": (2, scope, None)}
    assert [limit[:2] for limit in limits(page, "memory", "cgroup")] == [(8 * GIB, f"{user}/memory.max"), (6 * GIB, f"{user}/memory.high")]
    assert limits(page, "cpu", "cgroup") == [(4, f"{user}/cpu.max", 20)]
    assert [limit[:2] for limit in limits(page, "processes", "cgroup")] == [(18890, f"{user}/pids.max")]
    assert tightest(page, "cpu") == ("cgroup", 4)


def test_what_hidepid_hides_is_said(look, assay):
    page = look("hidepid")
    process, = page["process"]
    assert process["hidepid"] == "2" and "as another user" in process["hides"]
    assert [limit[:2] for limit in limits(page, "memory", "cgroup")] == [(4 * GIB, "user.slice/user-1001.slice/memory.max")]
    text = subprocess.run([str(assay), "doctor", "--root", str(FIXTURES / "hidepid")], check=True, stdout=subprocess.PIPE).stdout.decode()
    assert "/proc is mounted with hidepid=2. It hides" in text
    for other in MACHINES:
        if other != "hidepid":
            assert "hidepid" not in look(other)["process"][0], other


@pytest.mark.parametrize("hides", [True, False])
def test_what_hidepid_hides_on_this_machine_is_said_to_whom_it_is_hidden_from(assay, ordinary_user, hides):
    if os.geteuid() != 0:
        pytest.skip("needs root to mount another /proc in a mount namespace")
    if tuple(map(int, os.uname().release.split(".")[:2])) < (5, 8):
        pytest.skip("needs Linux 5.8: before it the options of all mounts of /proc are the same, the machine's too")
    drop = ["setpriv", f"--reuid={ordinary_user.uid}", f"--regid={ordinary_user.gid}", "--clear-groups"] if hides else []
    script = 'mount -t proc -o hidepid=2 proc /proc && exec "$@"'
    done = subprocess.run(["unshare", "--mount", "--propagation=private", "sh", "-c", script, "sh", *drop, str(assay), "doctor", "--json"],
                          check=True, stdout=subprocess.PIPE, timeout=60)
    process, = json.loads(done.stdout)["process"]
    assert process["hidepid"] == "invisible"
    assert ("not from you" in process["hides"]) is not hides
    assert ("root, or the group" in process["hides"]) is hides


def test_four_ways_to_count_the_cpus_of_a_job_on_a_node_with_holes_in_their_numbers(look):
    page = look("node-128")
    unit = "system.slice/job.service"
    assert set(cgroups(page).values()) == {(2, unit, None)}
    assert [limit[:2] for limit in limits(page, "cpu", "cgroup")] == [(96, f"{unit}/cpu.max")]
    assert limits(page, "cpu", "cpuset") == [(96, f"{unit} (0-63,128-159)", None)]
    assert limits(page, "cpu", "affinity") == [(32, "/proc/PID/status Cpus_allowed_list (0-15,128-143)", None)]
    assert limits(page, "cpu", "host") == [(128, "/sys/devices/system/cpu/online", None)]
    assert tightest(page, "cpu") == ("affinity", 32)
    assert tightest(page, "memory") == ("cgroup", 512 * GIB)


@pytest.mark.parametrize("name, cpus", [("node-128", 128), ("slurm-v1-rhel8", 24), ("hybrid", 4)])
def test_the_hosts_cpu_time_is_the_sum_of_equal_lines(look, name, cpus):
    page = look(name)
    # One line is, in ticks of 10 ms: user 1000, nice 100, system 300, idle 8000, iowait 50, irq 20, softirq 30, steal 40, guest 200 + 10.
    for key, seconds in {"user": 10, "nice": 1, "system": 3, "idle": 80, "iowait": 0.5, "irq": 0.2, "softirq": 0.3, "steal": 0.4,
                         "guest": 2.1}.items():
        assert reading(page, f"host_cpu_{key}_seconds") == pytest.approx(seconds * cpus, abs=1e-9), key
    # Busy is all but idle, iowait and steal, guests once: 10 + 1 + 3 + 0.2 + 0.3.
    assert reading(page, "host_cpu_seconds") == pytest.approx(14.5 * cpus, abs=1e-9)
    cores = {r["device"] for r in page["readings"] if r["name"] == "host_core_busy_seconds"}
    numbers = [*range(64), *range(128, 192)] if cpus == 128 else range(cpus)
    assert cores == {f"cpu{i}" for i in numbers}
    assert {r["value"] for r in page["readings"] if r["name"] == "host_core_busy_seconds"} == {14.5}


def test_the_hosts_memory_load_disks_and_pressure(look):
    page = look("slurm-v2")
    assert reading(page, "host_memory_total_bytes") == 65536000 * 1024
    assert reading(page, "host_memory_available_bytes") == 49152000 * 1024
    assert reading(page, "host_memory_used_bytes") == 16384000 * 1024, "what is not available"
    assert reading(page, "host_memory_dirty_bytes") == 1280 * 1024
    assert reading(page, "host_swap_total_bytes") == 4096000 * 1024
    assert reading(page, "host_swap_used_bytes") == 1024000 * 1024
    assert [reading(page, f"host_load_{m}m_ratio") for m in (1, 5, 15)] == [3.25, 2.5, 1.75]
    # 80000 and 160000 sectors of 512 bytes; the partition and the loop device are no disks of their own.
    assert reading(page, "host_disk_read_bytes") == 40960000
    assert reading(page, "host_disk_write_bytes") == 81920000
    assert reading(page, "host_device_read_bytes", "sda") == 40960000
    assert reading(page, "host_device_busy_seconds", "sda") == 1.2
    assert reading(page, "host_pressure_cpu_some_seconds") == 4
    assert reading(page, "host_pressure_io_full_seconds") == 0.25
    assert reading(page, "host_pressure_irq_full_seconds") == "ENOENT"
    assert "pressure" in reading(look("slurm-v1-rhel8"), "host_pressure_cpu_some_seconds"), "Linux 4.18 has none: the reason is said"
    assert reading(look("node-128"), "host_device_read_bytes", "nvme0n1") == 560000 * 512


def test_energy_temperature_frequency_and_interfaces(look):
    page = look("node-128")
    assert reading(page, "rapl_domain_energy_joules", "intel-rapl:0") == 123456.789012
    assert reading(page, "rapl_domain_energy_joules", "intel-rapl:0:0") == 4567.890123
    assert reading(page, "host_temperature_celsius", "hwmon0 k10temp temp1 Tctl") == 61.125
    assert reading(page, "host_cpu_frequency_hertz", "cpu0") == 2450000000
    assert reading(page, "host_cpu_frequency_hertz", "cpu128") == 3675000000
    assert reading(page, "host_cpu_frequency_hertz", "cpu1") == "ENOENT"
    assert reading(page, "netns_interface_receive_bytes", "eth0") == 7340032
    assert reading(page, "netns_interface_transmit_bytes", "lo") == 4096


NO_SUCH_FILE, NO_LIMIT = "ENOENT", "ENODATA"
CGROUP_READINGS = {
    "slurm-v1-rhel8": {
        # memory.stat of task_0: rss, cache without shmem; kmem.usage_in_bytes
        "memory_current_bytes": 2134900736, "memory_peak_bytes": 3204448256, "memory_anon_bytes": 1598029824, "memory_file_bytes": 515899392,
        "memory_shmem_bytes": 4194304, "memory_kernel_bytes": 12582912, "memory_limit_bytes": 3 * GIB, "oom_kills_count": 1,
        # cpuacct.stat has ticks of 10 ms
        "cpu_seconds": 123.456789012, "cpu_user_seconds": 118, "cpu_system_seconds": 5.45, "cpu_quota_percent": NO_LIMIT,
        "pids_current_count": 87, "pids_limit_count": NO_LIMIT, "pids_peak_count": NO_SUCH_FILE,
        "io_read_bytes": 10485760, "io_write_bytes": 20971520, "io_read_operations_count": 160, "io_write_operations_count": 320},
    "slurm-v2": {
        "memory_current_bytes": GIB, "memory_peak_bytes": 3 * GIB, "memory_anon_bytes": 768 * MIB, "memory_file_bytes": 196 * MIB,
        "memory_shmem_bytes": 4 * MIB, "memory_kernel_bytes": 15 * MIB, "memory_limit_bytes": 4 * GIB, "memory_limit_hits_count": 12,
        "oom_count": 1, "oom_kills_count": 1, "swap_current_bytes": 0, "swap_limit_bytes": 0, "swap_peak_bytes": NO_SUCH_FILE,
        "cpu_seconds": 98.765432, "cpu_user_seconds": 90, "cpu_system_seconds": 8.765432, "cpu_quota_percent": NO_LIMIT,
        "pids_current_count": 60, "pids_limit_count": 5000, "io_read_bytes": MIB, "io_write_bytes": 2 * MIB,
        "pressure_cpu_some_seconds": 1.234567, "pressure_cpu_full_seconds": 0.234567, "pressure_memory_some_seconds": 0.076543,
        "pressure_io_full_seconds": 0.04321},
    "hybrid": {
        "memory_current_bytes": 700 * MIB, "memory_peak_bytes": 1000 * MIB, "memory_anon_bytes": 600 * MIB, "memory_file_bytes": 98 * MIB,
        "memory_limit_bytes": 2 * GIB, "cpu_seconds": 250, "cpu_user_seconds": 200, "cpu_system_seconds": 50, "cpu_quota_percent": 150,
        "cpu_periods_count": 4000, "cpu_throttled_periods_count": 25, "cpu_throttled_seconds": 1.25, "pids_current_count": 12,
        "pids_limit_count": 10813, "pressure_cpu_some_seconds": 0.888888, "pressure_cpu_full_seconds": NO_SUCH_FILE,
        "pressure_memory_full_seconds": 0.000666},
    "container-host-cgroupns": {
        "memory_current_bytes": 300 * MIB, "memory_peak_bytes": 512 * MIB, "memory_anon_bytes": 250 * MIB, "memory_file_bytes": 39 * MIB,
        "memory_limit_bytes": 512 * MIB, "memory_limit_hits_count": 9, "oom_kills_count": 2, "cpu_seconds": 45.678901234,
        "cpu_quota_percent": 200, "cpu_periods_count": 100, "cpu_throttled_periods_count": 7, "cpu_throttled_seconds": 0.123456789,
        "pids_current_count": 5, "pids_limit_count": 100, "pids_limit_hits_count": 2,
        # without a rule for the device, version 1 counts nothing: that is not 0
        "io_read_bytes": NO_LIMIT, "io_write_bytes": NO_LIMIT},
    "container-private-cgroupns": {
        "memory_current_bytes": 100 * MIB, "memory_peak_bytes": 256 * MIB, "memory_anon_bytes": 75 * MIB, "memory_file_bytes": 20447232,
        "memory_limit_bytes": 256 * MIB, "memory_high_limit_bytes": 200 * MIB, "memory_limit_hits_count": 3, "memory_high_hits_count": 44,
        "oom_count": 2, "oom_kills_count": 2, "swap_limit_bytes": 0, "swap_peak_bytes": 0, "cpu_seconds": 32, "cpu_quota_percent": 50,
        "cpu_periods_count": 640, "cpu_throttled_periods_count": 320, "cpu_throttled_seconds": 16, "pids_current_count": 3,
        "pids_peak_count": 21, "pids_limit_count": 64, "io_read_bytes": 3 * MIB, "io_write_operations_count": 16},
    "systemd-user-session": {
        "memory_current_bytes": 520 * MIB, "memory_peak_bytes": 640 * MIB, "memory_anon_bytes": 500 * MIB, "memory_limit_bytes": 8 * GIB,
        "memory_high_limit_bytes": 6 * GIB, "cpu_seconds": 28.123456, "cpu_user_seconds": 25, "cpu_quota_percent": 400, "pids_peak_count": 9,
        "pids_limit_count": 18890},
    "hidepid": {
        "memory_current_bytes": 150 * MIB, "memory_peak_bytes": NO_SUCH_FILE, "memory_anon_bytes": 96 * MIB,
        # no "kernel" line before 5.18: kernel_stack 1 MiB + pagetables 4 MiB + percpu 2 KiB + slab 8 MiB
        "memory_kernel_bytes": 13 * MIB + 2048, "memory_limit_bytes": 4 * GIB, "cpu_seconds": 1.234567, "pids_limit_count": 3000},
    "node-128": {
        "memory_current_bytes": 200 * GIB, "memory_peak_bytes": 300 * GIB, "memory_shmem_bytes": 100 * GIB, "memory_file_bytes": 0,
        "memory_limit_bytes": 512 * GIB, "cpu_seconds": 709000, "cpu_quota_percent": 9600, "pids_peak_count": 257,
        "io_read_bytes": 2 ** 40, "io_write_bytes": 2 ** 39, "io_read_operations_count": 2 ** 24},
}


@pytest.mark.parametrize("name", MACHINES)
def test_what_the_cgroups_count(look, name):
    page = look(name)
    assert {key: reading(page, f"cgroup_{key}") for key in CGROUP_READINGS[name]} == CGROUP_READINGS[name]


def test_the_process_itself(look):
    page = look("slurm-v1-rhel8")
    assert page["process"] == [{"name": "solver", "pid": 4300, "root": str(FIXTURES / "slurm-v1-rhel8")}]
    assert reading(page, "proc_rss_bytes") == 1572864 * 1024
    assert reading(page, "proc_hwm_bytes") == 2097152 * 1024
    assert reading(page, "proc_pss_bytes") == 1570816 * 1024
    assert reading(page, "proc_io_read_bytes") == 41943040


@pytest.mark.parametrize("name", MACHINES)
def test_a_tree_is_not_mixed_with_this_machine(look, name):
    """What only a system call can tell is not available, and no limit is this machine's or of our environment."""
    page = look(name)
    by_collector = {rung["collector"]: rung for ladder in page["rungs"].values() for rung in ladder}
    for collector in ("perf", "connector", "taskstats"):
        assert not by_collector[collector]["available"] and "recorded tree" in by_collector[collector]["why"], collector
    assert not [r for r in page["readings"] if r["name"] == "host_shared_memory_bytes"]
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert all(abs(limit["limit"] - memory) > memory / 1000 for limit in page["limits"] if limit["name"] == "memory")


def test_a_cgroup_that_holds_others_is_an_upper_bound_and_what_would_help_is_said(look):
    rung = next(rung for rung in look("slurm-v2")["rungs"]["cpu"] if rung["key"] == "cgroup_cpu_seconds")
    assert rung["available"] and rung["quality"] == "upper_bound" and "--cgroup=own" in rung["why"]


def test_the_environment_of_who_looks_is_not_of_the_tree(assay):
    environment = {**os.environ, "SLURM_MEM_PER_NODE": "1", "SLURM_CPUS_ON_NODE": "1"}
    done = subprocess.run([str(assay), "doctor", "--json", "--root", str(FIXTURES / "slurm-v2")], check=True, stdout=subprocess.PIPE,
                          env=environment)
    page = json.loads(done.stdout)
    assert not [limit for limit in page["limits"] if limit["source"] == "slurm"]
    assert tightest(page, "memory") == ("cgroup", 4 * GIB)


@pytest.mark.parametrize("name", MACHINES)
def test_the_page_for_people_fits_80_columns_but_for_paths(assay, name):
    done = subprocess.run([str(assay), "doctor", "--readings", "--root", f"tests/fixtures/{name}"], check=True, stdout=subprocess.PIPE,
                          cwd=REPOSITORY)
    for line in done.stdout.decode().splitlines():
        assert len(line) <= 80 or "/" in line, line
        assert line == line.rstrip(), repr(line)


@pytest.mark.parametrize("options, words", [
    (["--root", "/nonexistent"], "/nonexistent"), (["--root", ""], "takes a directory"), (["--root", "/"], "this machine"),
    (["--pid", "0"], "number of a process"), (["--pid", "12x"], "number of a process"), (["--pid", "-3"], "number of a process"),
    (["--pid", "99999999999"], "number of a process"), (["--pid", "4194305"], "no process 4194305"),
    (["--root", "tests/fixtures/hidepid", "--pid", "1"], "no process 1 to be seen in tests/fixtures/hidepid"),
    (["--root", "tests/fixtures/cgroups"], "does not say which process"),
])
def test_what_cannot_be_looked_at_is_refused_in_one_line(assay, options, words):
    done = subprocess.run([str(assay), "doctor", *options], check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=REPOSITORY)
    assert done.returncode == 2 and done.stdout == b""
    assert words in done.stderr.decode() and done.stderr.count(b"\n") == 1


def test_a_tree_with_a_fifo_and_names_of_escapes_neither_holds_nor_colours_the_terminal(assay, room):
    tree = room / "tree"
    shutil.copytree(FIXTURES / "slurm-v2", tree, symlinks=True)
    for path in ("proc/meminfo", "proc/stat", "proc/loadavg"):
        (tree / path).unlink(missing_ok=True)
        os.mkfifo(tree / path)
    pid = (tree / "proc" / "self").resolve().name
    (tree / "proc" / pid / "cgroup").write_bytes(b"0::/\x1b[31mred\x07\x9b\n")
    done = subprocess.run([str(assay), "doctor", "--root", str(tree)], stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)

    assert done.returncode == 0, done.stderr
    assert b"[31mred" in done.stdout
    assert not any(byte < 32 and byte != 10 for byte in done.stdout), done.stdout


@pytest.mark.parametrize("path, said", [
    ("proc/stat", "host_cpu_seconds absent: EFBIG"),
    ("proc/self/mountinfo", "cannot tell the cgroups of process 5200: File too large")])
def test_what_is_larger_than_any_kernel_file_is_not_read_to_its_end(assay, room, path, said):
    tree = room / "tree"
    shutil.copytree(FIXTURES / "slurm-v2", tree, symlinks=True)
    os.truncate(tree / path, 3 << 30)  # a hole: nothing is stored
    done = subprocess.run([str(assay), "doctor", "--readings", "--root", str(tree)], stdin=subprocess.DEVNULL, capture_output=True,
                          check=True, timeout=60)

    assert said in " ".join(done.stdout.decode().split())


@pytest.mark.parametrize("text", ["garbled\n", "", "-1\n"])
def test_a_limit_that_cannot_be_understood_is_told_of_and_hides_no_other(assay, room, text):
    tree = room / "tree"
    shutil.copytree(FIXTURES / "slurm-v2", tree, symlinks=True)
    before = page_of(assay, "slurm-v2")
    where = next(limit["where"] for limit in before["limits"] if limit["name"] == "memory" and limit["tightest"])
    (tree / where.lstrip("/")).write_text(text)
    done = subprocess.run([str(assay), "doctor", "--json", "--root", str(tree)], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          timeout=60)
    found = [limit for limit in json.loads(done.stdout)["limits"] if limit["name"] == "memory" and limit["source"] == "cgroup"]

    assert any("not every level could be read (EINVAL)" in limit.get("note", "") for limit in found), found
