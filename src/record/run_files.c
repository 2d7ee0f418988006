/* SPDX-License-Identifier: MIT */
/* Opens, discards and closes the files of a run. */
#include "record/run_files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "record/info_file.h"
#include "record/info_json.h"
#include "record/usage_writer.h"

struct run_files {
	struct usage_writer usage;
	struct info_file info;
	int dirfd; /* of the prefix: a directory that is moved during the run is still found */
	int usage_fd;
	char *directory; /* "." or the prefix up to its last slash */
	char *info_name, *usage_name; /* within the directory */
	size_t *made; /* how much of `directory` each directory made here spans, outermost first */
	size_t n_made;
};

static char *join(const char *a, size_t n, const char *b)
{
	size_t n_b = strlen(b);
	char *text = malloc(n + n_b + 1);

	if (text) {
		memcpy(text, a, n);
		memcpy(text + n, b, n_b + 1);
	}
	return text;
}

static int split_prefix(struct run_files *f, const char *prefix)
{
	const char *slash = strrchr(prefix, '/');
	const char *name = slash ? slash + 1 : prefix;

	f->directory = slash ? join(prefix, (size_t) (name - prefix), "") : join("./", 2, "");
	f->info_name = join(name, strlen(name), "info.json");
	f->usage_name = join(name, strlen(name), "usage.jsonl");
	return f->directory && f->info_name && f->usage_name ? 0 : -ENOMEM;
}

/* Makes the directory that spans the first `n` bytes; one that is there already is fine. */
static int make_directory(struct run_files *f, size_t n)
{
	size_t *made = realloc(f->made, (f->n_made + 1) * sizeof(*made));
	char after = f->directory[n];
	int r;

	if (!made)
		return -ENOMEM;
	f->made = made;
	f->directory[n] = '\0';
	r = mkdir(f->directory, 0777) < 0 ? -errno : 0;
	f->directory[n] = after;
	if (r == 0)
		f->made[f->n_made++] = n;
	return r == -EEXIST ? 0 : r;
}

/* Makes what is missing. The first failure is returned, but whether it matters the caller sees by opening: mkdir(2)
 * may well say EROFS or EACCES of a directory that is there. */
static int make_parents(struct run_files *f)
{
	int first = 0;

	for (size_t n = 1; f->directory[n]; n++) {
		if (f->directory[n] != '/' || f->directory[n - 1] == '/')
			continue;
		int r = make_directory(f, n);
		if (first == 0)
			first = r;
	}
	return first;
}

static int open_directory(struct run_files *f, struct error *err)
{
	const int flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
	int r;

	f->dirfd = open(f->directory, flags);
	if (f->dirfd < 0 && errno == ENOENT) {
		r = make_parents(f);
		f->dirfd = open(f->directory, flags);
		if (f->dirfd < 0 && r < 0)
			return error_set(err, r, "cannot make the directory %s", f->directory);
	}
	if (f->dirfd < 0)
		return error_set(err, -errno, "cannot open the directory %s", f->directory);
	return 0;
}

static bool is_there(const struct run_files *f, const char *name)
{
	struct stat st;

	return fstatat(f->dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

static int exists(const char *prefix, const char *end, struct error *err)
{
	return error_say(err, -EEXIST,
		"%s%s exists, and a record is never overwritten: choose another prefix", prefix,
		end);
}

static int open_usage(struct run_files *f, const char *prefix, struct error *err)
{
	if (is_there(f, f->info_name))
		return exists(prefix, "info.json", err);
	f->usage_fd = openat(f->dirfd, f->usage_name,
		O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (f->usage_fd < 0 && errno == EEXIST)
		return exists(prefix, "usage.jsonl", err);
	if (f->usage_fd < 0)
		return error_set(err, -errno, "cannot make %susage.jsonl", prefix);
	return 0;
}

int run_files_open(const char *prefix, struct run_files **ret, struct error *err)
{
	struct run_files *f = calloc(1, sizeof(*f));
	int r;

	if (!f)
		return error_set(err, -ENOMEM, "cannot open a record");
	f->dirfd = f->usage_fd = f->info.reserve = -1;
	r = split_prefix(f, prefix);
	if (r == 0)
		r = usage_writer_init(&f->usage, -1);
	if (r < 0)
		error_set(err, r, "cannot open a record");
	if (r == 0)
		r = open_directory(f, err);
	if (r == 0)
		r = open_usage(f, prefix, err);
	if (r < 0) {
		run_files_discard(f);
		run_files_close(f);
		return r;
	}
	f->usage.fd = f->usage_fd;
	info_file_init(&f->info, f->dirfd, f->info_name);
	*ret = f;
	return 0;
}

struct sink *run_files_sink(struct run_files *f)
{
	return &f->usage.sink;
}

int run_files_write_info(
	struct run_files *f, const struct assay_run_info *info, bool final, struct error *err)
{
	struct buf text = { 0 };
	int r;

	info_json(info, &text);
	if (text.failed)
		r = error_set(err, -ENOMEM, "cannot make %s", f->info_name);
	else
		r = info_file_write(&f->info, text.data, text.len, final, err);
	buf_done(&text);
	return r;
}

void run_files_counts(const struct run_files *f, uint64_t *ret_written, uint64_t *ret_lost,
	uint64_t *ret_failures)
{
	*ret_written = f->usage.written;
	*ret_lost = f->usage.dropped + f->usage.n_pending;
	*ret_failures = f->usage.failures;
}

/* Removes the usage file if the name still leads to the one that was opened here. */
static void discard_usage(struct run_files *f)
{
	struct stat ours;
	struct stat named;

	if (f->usage_fd < 0 || fstat(f->usage_fd, &ours) < 0)
		return;
	if (fstatat(f->dirfd, f->usage_name, &named, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	if (ours.st_dev == named.st_dev && ours.st_ino == named.st_ino)
		unlinkat(f->dirfd, f->usage_name, 0);
}

void run_files_discard(struct run_files *f)
{
	if (!f)
		return;
	info_file_discard(&f->info);
	discard_usage(f);
	while (f->n_made > 0) {
		/* rmdir(2) refuses a directory in which someone else has put something meanwhile. */
		f->directory[f->made[--f->n_made]] = '\0';
		rmdir(f->directory);
	}
}

struct run_files *run_files_close(struct run_files *f)
{
	if (!f)
		return NULL;
	info_file_done(&f->info);
	usage_writer_done(&f->usage);
	if (f->usage_fd >= 0)
		close(f->usage_fd);
	if (f->dirfd >= 0)
		close(f->dirfd);
	free(f->directory);
	free(f->info_name);
	free(f->usage_name);
	free(f->made);
	free(f);
	return NULL;
}
