/* SPDX-License-Identifier: MIT */
/* The directories every parser reads under: the live /proc and /sys, or a recorded tree. */
#ifndef ASSAY_LINUX_ROOTS_H
#define ASSAY_LINUX_ROOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct error;

struct roots {
	int proc; /* O_PATH descriptors, owned */
	int sys;
	const char *why_no_proc; /* a literal, or NULL */
	bool live; /* proc is the kernel's own, not a recorded tree */
};

/* Opens "PREFIX/proc" and "PREFIX/sys"; prefix "" is the live machine. A missing /sys is no error (sys = -1), nor is a live /proc that is
 * missing or of another PID namespace (proc = -1, why_no_proc says which): then no process can be looked at. */
int roots_open(struct roots *r, const char *prefix, struct error *err);
void roots_close(struct roots *r);

/* Opens a file in a directory for reading. Anything but a file or a directory, as all of the kernel's are, is -EINVAL: a recorded tree may hold a
 * FIFO, at which an open would wait for ever. */
int open_kernel_file(int directory, const char *path);
/* Opens a file below one root for reading, O_CLOEXEC; the path is printf-like. Negative errno on failure. */
int root_file(int root, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Reads a whole small kernel file from offset 0 of an open descriptor (pread; loops until 0) into `buffer`, adds a NUL.
 * Returns the length, or a negative errno; -EOVERFLOW when it does not fit. */
ssize_t read_kernel_file(int fd, char *buffer, size_t size);
/* The same with a single call, for the files the kernel writes in one piece (stat, statm, status, io, smaps_rollup of a
 * process): their first read(2) gives everything that fits, so the second one, which only says "end", can be saved.
 * -EOVERFLOW when the buffer was filled. Not for files of many records (maps, mountinfo, cpuinfo). */
ssize_t read_kernel_record(int fd, char *buffer, size_t size);
/* Opens, reads and closes. */
ssize_t read_root_file(int root, const char *path, char *buffer, size_t size);

#endif
