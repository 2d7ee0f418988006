# SPDX-License-Identifier: MIT
"""The workloads: modes of the loads of tests/truth, which write down what they truly used."""
import dataclasses

CPU = ("cpu_seconds",)
MEMORY = ("memory_peak_bytes", "memory_peak_process_bytes")
JOB_MEMORY = ("memory_peak_bytes",)
CALLS_WRITTEN, STORAGE_WRITTEN = "io_write_syscall_bytes", "io_write_bytes"
WRITTEN = (CALLS_WRITTEN, STORAGE_WRITTEN)
READ = ("io_read_syscall_bytes", "io_read_bytes")


@dataclasses.dataclass
class Workload:
    """`words` follow the name of the load and of its truth file; FILE is the name of no file yet, DATA a file of 128 MiB, COLD another of
    64 MiB, DIRECTORY an empty one."""
    text: str
    about: tuple
    words: tuple
    before: tuple = ()  # what the load is started by
    assay: tuple = ()  # options of assay run that it is about


def of(text, about, *words, **more):
    return Workload(text, about, tuple(str(word) for word in words), **more)


WORKLOADS = [
    of("one process that computes", CPU, "steady", 600),
    of("computes, then sleeps", CPU, "burnt-then-idle", 400, 600),
    of("100 threads that come and go", CPU, "threads", 100, 5),
    of("20 children of 30 ms, waited for", CPU, "children", 20, 30),
    of("3000 children of 1 ms, waited for", CPU, "children", 3000, 1),
    of("50 children forked by a second thread", CPU, "worker-children", 50, 10),
    of("20 children whose main thread ends first", CPU, "leaderless-children", 20, 20, "worker"),
    of("100 starts of true by vfork and posix_spawn", CPU, "vforks", 50),
    of("50 programs in one process, by exec", CPU, "exec-chain", 50, 5),
    of("a child of 600 ms that is gone before the end", CPU, "exits-mid-window", 600, 500),
    of("a child that is a zombie for a second", CPU, "zombie", 300, 1000),
    of("a child that is stopped for half a second", CPU, "stopped", 300, 500),
    of("double fork: an orphan, over before the command", CPU, "orphan", 400),
    of("a daemon (setsid), over before the command", CPU, "daemon", 400),
    of("a daemon that outlives the command", CPU, "daemon-outlives", 400, 50),
    of("the same, waited for on request", CPU, "daemon-outlives", 400, 50, assay=("--wait-all",)),
    of("SIGCHLD ignored: 300 children of 2 ms", CPU, "ignored", 300, 2),
    of("SA_NOCLDWAIT: 300 children of 2 ms", CPU, "nocldwait", 300, 2),
    of("SA_NOCLDWAIT: 3 children of 150 ms", CPU, "nocldwait", 3, 150),
    of("SIGCHLD ignored in a child: 300 of 2 ms", CPU, "deep-ignored", 300, 2),
    of("parent and child ended by timeout(1)", CPU, "burnt-then-waits", 200, before=("timeout", "6")),

    of("one process holds 256 MiB", MEMORY, "memory-steady", 256, 1000),
    of("one process holds 2 GiB", MEMORY, "memory-steady", 2048, 500),
    of("1 GiB for 20 ms, between two samples", MEMORY, "memory-spike", 1024, 20, 600),
    of("two children, 300 MiB each, for 20 ms", MEMORY, "memory-twins", 300, 20),
    of("four children, 60 MiB each, together", MEMORY, "memory-likes", 60, 4, 1500),
    of("twenty children, one of them large", MEMORY, "memory-one-of", 20, 300, 5, 300),
    of("twelve children of 150 MiB, one after the other", MEMORY, "memory-in-turn", 12, 150),
    of("400 MiB shared by nine processes", MEMORY, "memory-shared", 400, 9, 1000),
    of("half of 256 MiB copied after fork", MEMORY, "memory-copied", 256, 1500),
    of("one address space in three processes", MEMORY, "memory-sharers", 160, 3, 1500),
    of("vfork child that takes its time", MEMORY, "memory-vfork", 256, 1000),
    of("a process whose main thread has ended", MEMORY, "memory-headless", 128, 1500),
    of("a memfd mapped five times by one process", MEMORY, "memory-mapped-often", 105, 5, 1500),
    of("a System V segment attached five times", MEMORY, "memory-attached-often", 105, 5, 1500),
    of("a memfd that nobody maps", JOB_MEMORY, "memory-unmapped", 256, 1000),
    of("a mapped file", MEMORY, "memory-file", "DATA", 128, 1000),
    of("200 MiB of huge pages", MEMORY, "memory-huge", 100, 500, 1000),
    of("512 MiB, then exec of something small", MEMORY, "memory-then-exec", 512, 20, 300),
    of("three of 120 MiB, then exec", MEMORY, "memory-execs", 3, 120, 50),
    of("a parent of 512 MiB starts true", MEMORY, "big-parent", 512, 5),
    of("a child maps 96 MiB and is gone, waited for", MEMORY + (CALLS_WRITTEN,), "quick-mapping", "DATA", 96, "waited"),
    of("the same with SA_NOCLDWAIT", MEMORY + (CALLS_WRITTEN,), "quick-mapping", "DATA", 96, "nocldwait"),
    of("SIGCHLD ignored: a child of 256 MiB", MEMORY, "memory-forgotten", 256, 20),

    of("64 MiB written", WRITTEN, "io-write", "FILE", 64),
    of("64 MiB written with O_DIRECT", WRITTEN, "io-write-direct", "FILE", 64),
    of("64 MiB written through a mapping", WRITTEN, "io-write-mapped", "FILE", 64),
    of("64 MiB written, then deleted at once", WRITTEN, "io-write-cancelled", "FILE", 64),
    of("20 children write 10 MiB each", WRITTEN, "io-children", "DIRECTORY", 20, 10, "waited"),
    of("the same with SIGCHLD ignored", WRITTEN, "io-children", "DIRECTORY", 20, 10, "ignored"),
    of("64 MiB read from the page cache", READ, "io-read-cached", "DATA", 64),
    of("64 MiB read from the device", READ, "io-read-cold", "COLD", 64),
]
