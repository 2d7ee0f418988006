/* SPDX-License-Identifier: MIT */
/* A file of /proc that is read in each sample: opened by the first reading and kept, so that the next ones need not open and close it. */
#ifndef ASSAY_LINUX_KEPT_FILE_H
#define ASSAY_LINUX_KEPT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* All zero in the beginning. */
struct kept_file {
	bool open;
	bool keep; /* not where descriptors are scarce */
	int fd; /* when open */
	bool missing; /* the kernel has no such file, and will not get it */
};

/* A descriptor at the beginning of the file below `root`, or a negative errno. It goes back by kept_file_end(). */
int kept_file_begin(struct kept_file *f, int root, const char *path);
/* Keeps it open, where there are enough descriptors. */
void kept_file_end(struct kept_file *f);
/* The whole text of a file that the kernel writes in one piece, as read_kernel_record(). `f` NULL: opened and closed. */
ssize_t kept_file_read(struct kept_file *f, int root, const char *path, char *text, size_t size);
void kept_file_close(struct kept_file *f);

/* Whether so few files may be open that none should be kept. */
bool descriptors_are_scarce(void);

#endif
