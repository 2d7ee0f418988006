/* SPDX-License-Identifier: MIT */
/* Keeps files of /proc open from sample to sample. */
#include "linux/kept_file.h"

#include <errno.h>
#include <unistd.h>

#include "linux/roots.h"

/* With fewer, others need them more. */
#define DESCRIPTORS_ENOUGH 256

bool descriptors_are_scarce(void)
{
	long most = sysconf(_SC_OPEN_MAX);

	return most >= 0 && most < DESCRIPTORS_ENOUGH;
}

int kept_file_begin(struct kept_file *f, int root, const char *path)
{
	if (f->missing)
		return -ENOENT;
	/* What is read from the beginning is made anew. */
	if (f->open && lseek(f->fd, 0, SEEK_SET) == 0)
		return f->fd;
	kept_file_close(f);
	int fd = root_file(root, "%s", path);
	f->missing = fd == -ENOENT;
	f->open = fd >= 0;
	f->keep = f->open && !descriptors_are_scarce();
	f->fd = fd;
	return fd;
}

void kept_file_end(struct kept_file *f)
{
	if (f->open && !f->keep)
		kept_file_close(f);
}

ssize_t kept_file_read(struct kept_file *f, int root, const char *path, char *text, size_t size)
{
	struct kept_file once = { 0 };
	struct kept_file *file = f ? f : &once;
	int fd = file->open ? file->fd : kept_file_begin(file, root, path);
	ssize_t n = fd < 0 ? fd : read_kernel_record(fd, text, size);

	if (f)
		kept_file_end(f);
	else
		kept_file_close(&once);
	return n;
}

void kept_file_close(struct kept_file *f)
{
	if (f->open)
		close(f->fd);
	*f = (struct kept_file){ 0 };
}
