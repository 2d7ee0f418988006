# SPDX-License-Identifier: MIT
"""Runs a program under a seccomp filter that forbids system calls: python3 forbidden.py ERRNO-NAME NUMBER[,NUMBER...] PROGRAM ARGUMENTS..."""
import ctypes
import errno
import os
import struct
import sys

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
LOAD, EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, ERRNO = 0x7fff0000, 0x00050000

# As <asm/unistd_64.h> and <asm-generic/unistd.h> number them.
NUMBERS = {"x86_64": {"waitid": 247, "wait4": 61, "kill": 62, "tgkill": 234, "prctl": 157, "rt_sigtimedwait": 128, "signalfd4": 289, "futex": 202,
                      "poll": 7, "ppoll": 271, "getppid": 110, "getrusage": 98, "rt_sigprocmask": 14, "rt_sigaction": 13, "chdir": 80,
                      "close_range": 436, "timer_create": 222, "setsid": 112, "pidfd_open": 434, "kcmp": 312, "perf_event_open": 298, "socket": 41,
                      "prlimit64": 302, "flock": 73, "getrandom": 318, "statfs": 137, "fallocate": 285, "linkat": 265, "renameat2": 316,
                      "getdents64": 217, "nanosleep": 35, "clock_nanosleep": 230, "sched_getaffinity": 204, "uname": 63, "getcwd": 79,
                      "eventfd2": 290, "pipe2": 293, "statx": 332, "readlinkat": 267, "fcntl": 72, "ioctl": 16},
           "aarch64": {"waitid": 95, "wait4": 260, "kill": 129, "rt_sigtimedwait": 137, "signalfd4": 74, "futex": 98, "ppoll": 73, "prctl": 167}}
NUMBERS = NUMBERS.get(os.uname().machine, {})


def forbid(numbers, code):
    """From now on, and in all children."""
    code = ERRNO | code
    steps = [(LOAD, 0, 0, 0)]
    for number in numbers:
        steps += [(EQUAL, 0, 1, number), (RETURN, 0, 0, code)]
    steps.append((RETURN, 0, 0, ALLOW))
    filters = b"".join(struct.pack("HBBI", *step) for step in steps)
    held = ctypes.create_string_buffer(filters)
    program = struct.pack("HxxxxxxP", len(steps), ctypes.addressof(held))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 or libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program, 0, 0) < 0:
        sys.exit(f"no filter can be set: {os.strerror(ctypes.get_errno())}")


if __name__ == "__main__":
    forbid([int(number) for number in sys.argv[2].split(",")], getattr(errno, sys.argv[1]))
    os.execv(sys.argv[3], sys.argv[3:])
