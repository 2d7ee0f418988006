/* SPDX-License-Identifier: MIT */
/* Writes to temporary files beside where they go, and renames them in the end. */
#include "export/export_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fd_write.h"
#include "export/export.h"
#include "record/nameless_file.h"
#include "record/stored_files.h"

static size_t n_files(const struct exporter *e)
{
	size_t n = 0;

	while (n < EXPORT_FILES_MAX && e->files[n])
		n++;
	return n > 0 ? n : 1;
}

static const char *called(const struct export_file *f)
{
	return f->path ? f->path : "standard output";
}

/* The directory a path stands in, with its slash; "" for the working directory. */
static size_t directory_length(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t) (slash - path) + 1 : 0;
}

/* Device files, pipes and what /dev/stdout stands for are written to as they are; nobody may put a file in their place. */
static int open_in_place(struct export_file *f, struct error *err)
{
	f->file.fd = open(f->path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
	return f->file.fd < 0 ? error_set(err, -errno, "cannot write %s", f->path) : 0;
}

static int open_nameless(struct export_file *f, struct error *err)
{
	size_t n = directory_length(f->path);
	char *directory = n > 0 ? strndup(f->path, n) : strdup(".");
	int r = directory ? 0 : -ENOMEM;

	if (r == 0) {
		f->dirfd = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
		r = f->dirfd < 0 ? -errno : nameless_file_open(f->dirfd, &f->file);
	}
	free(directory);
	f->nameless = r == 0;
	return r < 0 ? error_set(err, r, "cannot write %s", f->path) : 0;
}

static int open_file(struct export *x, struct export_file *f, struct error *err)
{
	struct stat st;

	if (!f->path)
		return error_set(err, -ENOMEM, "cannot name the file");
	if (stat(f->path, &st) < 0)
		return open_nameless(f, err);
	if (S_ISDIR(st.st_mode))
		return error_say(err, -EISDIR,
			"%s is a directory; with a / behind it, a file of each run goes into it",
			f->path);
	if (!S_ISREG(st.st_mode))
		return open_in_place(f, err);
	if (x->options->inputs && stored_files_hold(x->options->inputs, &st))
		return error_say(err, -EEXIST,
			"%s is a file of a run that is read, and is never replaced", f->path);
	if (!x->options->clobber)
		return error_say(
			err, -EEXIST, "%s is there already; --clobber replaces it", f->path);
	/* What a symbolic link stands for is replaced, not the link. */
	char *real = realpath(f->path, NULL);
	if (real) {
		free(f->path);
		f->path = real;
	}
	return open_nameless(f, err);
}

/* Makes the missing directories of a path, as `assay run` does for a prefix, and notes how much of it was there. */
static int make_directories(struct export *x, const char *path, struct error *err)
{
	char *copy = strdup(path);
	int r = copy ? 0 : -ENOMEM;

	x->there = directory_length(path);
	for (char *at = copy ? strchr(copy + 1, '/') : NULL; at && r == 0;
		at = strchr(at + 1, '/')) {
		*at = '\0';
		if (mkdir(copy, 0777) < 0)
			r = errno == EEXIST || errno == EISDIR ? 0 : -errno;
		else if (x->there > (size_t) (at - copy))
			x->there = (size_t) (at - copy);
		*at = '/';
	}
	free(copy);
	return r < 0 ? error_set(err, r, "cannot make the directory of %s", path) : 0;
}

/* Those that were made for nothing. One that is not empty stays. */
static void remove_directories(const struct export *x, char *path)
{
	char *slash;

	while ((slash = strrchr(path, '/')) && (size_t) (slash - path) >= x->there &&
		slash > path) {
		*slash = '\0';
		if (rmdir(path) < 0)
			break;
	}
}

static int name_file(struct export *x, size_t i, struct error *err)
{
	const char *name = x->exporter->files[i];
	const char *between = x->exporter->directory ? "/" : "";
	int n = asprintf(
		&x->files[i].path, "%s%s%s", x->path, name ? between : "", name ? name : "");

	if (n < 0) {
		x->files[i].path = NULL;
		return error_set(err, -ENOMEM, "cannot write %s", x->path);
	}
	return i == 0 ? make_directories(x, x->files[i].path, err) : 0;
}

int export_files_open(struct export *x, struct error *err)
{
	size_t n = n_files(x->exporter);
	int r = 0;

	for (size_t i = 0; i < n; i++)
		x->files[i].file.fd = x->files[i].dirfd = -1;
	if (!x->path) {
		x->files[0].file.fd = STDOUT_FILENO;
		return 0;
	}
	for (size_t i = 0; i < n && r == 0; i++) {
		r = name_file(x, i, err);
		if (r == 0)
			r = open_file(x, &x->files[i], err);
	}
	return r;
}

int export_files_flush(struct export *x, struct error *err)
{
	for (size_t i = 0; i < n_files(x->exporter); i++) {
		struct export_file *f = &x->files[i];
		int r = f->text.failed ? -ENOMEM : 0;

		if (r == 0)
			r = fd_write_all(f->file.fd, f->text.data, f->text.len, NULL);
		if (r < 0)
			return error_set(err, r, "cannot write %s", called(f));
		buf_clear(&f->text);
	}
	return 0;
}

/* The descriptor stays: a file without a name is gone with the last one. */
static int finish_file(const struct export_file *f, struct error *err)
{
	/* close(2): over a network, a full disk is told only here. */
	int fd = fcntl(f->file.fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	int r = fd < 0 || close(fd) < 0 ? -errno : 0;

	return r < 0 ? error_set(err, r, "cannot write %s", called(f)) : 0;
}

static int give_name(const struct export *x, struct export_file *f, struct error *err)
{
	int r = 0;

	if (!f->nameless || f->left_out)
		return 0;
	if (x->options->clobber)
		r = nameless_file_replace(f->dirfd, &f->file, f->path + directory_length(f->path));
	else
		r = nameless_file_name(f->dirfd, &f->file, f->path + directory_length(f->path));
	if (r < 0)
		return error_set(err, r, "cannot write %s", f->path);
	f->nameless = false;
	return 0;
}

int export_files_keep(struct export *x, struct error *err)
{
	size_t n = n_files(x->exporter);
	int r = export_files_flush(x, err);

	for (size_t i = 0; i < n && r == 0; i++)
		r = finish_file(&x->files[i], err);
	/* The first is what a reader looks for: it comes last, when the others are there. */
	for (size_t i = n; i-- > 0 && r == 0;) {
		r = give_name(x, &x->files[i], err);
		for (size_t k = i + 1; r < 0 && k < n; k++)
			if (x->files[k].dirfd >= 0 && !x->files[k].nameless)
				unlink(x->files[k].path);
	}
	x->kept = r == 0;
	return r;
}

void export_files_close(struct export *x)
{
	for (size_t i = 0; i < EXPORT_FILES_MAX; i++) {
		struct export_file *f = &x->files[i];

		if (f->file.fd > STDERR_FILENO)
			nameless_file_drop(f->dirfd, &f->file);
		if (f->dirfd > STDERR_FILENO)
			close(f->dirfd);
		buf_done(&f->text);
	}
	if (x->files[0].path && !x->kept)
		remove_directories(x, x->files[0].path);
	for (size_t i = 0; i < EXPORT_FILES_MAX; i++)
		free(x->files[i].path);
}
