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
#include "record/earlier.h"
#include "record/info_file.h"
#include "record/info_json.h"
#include "record/run_directory.h"
#include "record/set_aside.h"
#include "record/temporary_file.h"
#include "record/usage_writer.h"
#include "record/writer_lock.h"

/* A file that was made here, and is taken back if the run is. */
struct made_file {
	char *name; /* within the directory */
	dev_t device;
	ino_t inode;
};
#define N_MADE_MAX 8

struct run_files {
	struct run_files_options options;
	struct made_file files[N_MADE_MAX];
	size_t n_files;
	struct set_aside old;
	struct earlier earlier;
	bool continues; /* that one */
	struct usage_writer usage;
	struct info_file info;
	struct run_directory directory; /* "./" or the prefix up to its last slash */
	int usage_fd;
	bool claimed; /* by a series that is not written, until the info file is there */
	char *name; /* the prefix behind its last slash */
	char *info_name; /* within the directory */
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

	f->directory.path = slash ? join(prefix, (size_t) (name - prefix), "") : join("./", 2, "");
	f->name = join(name, strlen(name), "");
	f->info_name = join(name, strlen(name), "info.json");
	return f->directory.path && f->name && f->info_name ? 0 : -ENOMEM;
}

static bool is_there(const struct run_files *f, const char *name)
{
	struct stat st;

	return fstatat(f->directory.fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

static int refuse(const struct run_files *f, const char *end, const char *what, struct error *err)
{
	return error_say(err, -EEXIST, "%s%s%s %s",
		strcmp(f->directory.path, "./") == 0 ? "" : f->directory.path, f->name, end, what);
}

static int is_written(const struct run_files *f, const char *end, struct error *err)
{
	return refuse(f, end, "is still being written by another run", err);
}

static int exists(const struct run_files *f, const char *end, struct error *err)
{
	/* It was not there a moment ago. */
	if (f->options.append)
		return is_written(f, end, err);
	return refuse(f, end, "exists: take another prefix, or --clobber to replace it", err);
}

static int make_file(struct run_files *f, const char *name, int flags, struct stat *ret_stat)
{
	int fd;

	if (f->n_files == N_MADE_MAX)
		return -ENOSPC;
	fd = openat(f->directory.fd, name, flags | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (fd < 0)
		return -errno;
	if (fstat(fd, ret_stat) < 0) {
		close(fd);
		return -EIO;
	}
	return fd;
}

/* Someone else's file that has taken the name meanwhile stays. */
static bool still_stands(const struct run_files *f, const struct made_file *made)
{
	struct stat named;

	return fstatat(f->directory.fd, made->name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
	       named.st_dev == made->device && named.st_ino == made->inode;
}

int run_files_add(
	struct run_files *f, const char *end, int open_flags, int *ret_fd, struct error *err)
{
	struct stat st = { 0 };
	char *name = join(f->name, strlen(f->name), end);
	int fd = name ? make_file(f, name, open_flags, &st) : -ENOMEM;

	if (fd < 0) {
		free(name);
		return fd == -EEXIST ? exists(f, end, err)
				     : error_set(err, fd, "cannot make %s%s%s", f->directory.path,
					       f->name, end);
	}
	struct made_file made = { name, st.st_dev, st.st_ino };
	bool locked = writer_lock_take(fd) == 0;
	/* Another that replaces this record, or begins it in the empty file, may have come between: then this one is not the run's. */
	if (!locked || !still_stands(f, &made)) {
		close(fd);
		free(name);
		return f->options.append
			       ? is_written(f, end, err)
			       : refuse(f, end, "is just being replaced by another run", err);
	}
	f->files[f->n_files++] = made;
	*ret_fd = fd;
	return 0;
}

static struct made_file *find_made(struct run_files *f, const char *end)
{
	size_t n = strlen(f->name);

	for (size_t i = 0; i < f->n_files; i++)
		if (strcmp(f->files[i].name + n, end) == 0)
			return &f->files[i];
	return NULL;
}

static int take_name(
	struct run_files *f, struct made_file *made, const char *temporary, const struct stat *st)
{
	if (!still_stands(f, made))
		return -ESTALE;
	if (renameat(f->directory.fd, temporary, f->directory.fd, made->name) < 0)
		return -errno;
	made->device = st->st_dev;
	made->inode = st->st_ino;
	return 0;
}

static int fill_and_close(
	int fd, int (*fill)(int fd, void *context), void *context, struct stat *ret_stat)
{
	int r = fill(fd, context);

	if (r == 0 && fstat(fd, ret_stat) < 0)
		r = -errno;
	/* close(2): over a network, a full disk or a quota may be told only here. */
	if (close(fd) < 0 && r == 0 && errno != EINTR)
		r = -errno;
	return r;
}

int run_files_replace(struct run_files *f, const char *end, int (*fill)(int fd, void *context),
	void *context, struct error *err)
{
	struct made_file *made = find_made(f, end);
	char name[TEMPORARY_NAME_SIZE];
	struct stat st;
	int fd = made ? temporary_file_open(f->directory.fd, name) : -ENOENT;
	int r = fd;

	if (fd >= 0) {
		r = fill_and_close(fd, fill, context, &st);
		if (r == 0)
			r = take_name(f, made, name, &st);
		if (r < 0)
			unlinkat(f->directory.fd, name, 0);
	}
	if (r < 0)
		return error_set(
			err, r, "cannot write a new %s%s%s", f->directory.path, f->name, end);
	return 0;
}

void run_files_remove(struct run_files *f, const char *end)
{
	struct made_file *made = find_made(f, end);

	if (!made)
		return;
	if (still_stands(f, made))
		unlinkat(f->directory.fd, made->name, 0);
	free(made->name);
	*made = f->files[--f->n_files];
}

/* Every file that a record may have: what is left of an older one would pass for a part of the new. The order is that in which they are
 * set aside, from which settle_leftovers() tells how far a recorder came that was killed. */
static const char *const ends[] = { "usage.jsonl", "info.json", "live", "stdout", "stderr",
	"stdout.times", "stderr.times" };
#define N_ENDS_ALWAYS 3 /* the first ones: each alone is a record */

/* Whether what a killed recorder made is a record, beside the older one that it had set aside. */
static bool new_one_is_there(const struct run_files *f, const char *usage, const char *info)
{
	char hidden[SET_ASIDE_NAME_SIZE];
	struct stat st;
	bool usage_stands = fstatat(f->directory.fd, usage, &st, AT_SYMLINK_NOFOLLOW) == 0;

	if (usage_stands && st.st_size > 0)
		return true;
	/* Killed before it had set aside all: what stands there is the old info.json. */
	set_aside_name(info, hidden);
	return is_there(f, info) && (usage_stands || is_there(f, hidden));
}

/* An older record that a killed recorder had set aside: brought back, or removed when that recorder's own is there to be replaced now. */
static int settle_leftovers(struct run_files *f, struct error *err)
{
	char *names[ARRAY_SIZE(ends)];
	char hidden[SET_ASIDE_NAME_SIZE];
	bool failed = false;
	int r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		names[i] = join(f->name, strlen(f->name), ends[i]);
		failed = failed || !names[i];
	}
	if (failed)
		r = error_set(err, -ENOMEM, "cannot look for an older record");
	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(ends); i++) {
		set_aside_name(names[i], hidden);
		if (writer_lock_is_free(f->directory.fd, hidden) == -EBUSY)
			r = refuse(f, ends[i], "is just being replaced by another run", err);
	}
	bool superseded = r == 0 && new_one_is_there(f, names[0], names[1]);
	for (size_t k = 0; r == 0 && k < ARRAY_SIZE(ends); k++) {
		size_t i = ARRAY_SIZE(ends) - 1 - k;

		set_aside_name(names[i], hidden);
		if (!superseded)
			set_aside_return(f->directory.fd, names[i]);
		else if (f->options.clobber)
			unlinkat(f->directory.fd, hidden, 0);
	}
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		free(names[i]);
	return r;
}

/* What a joining left that could write nothing, on a full disk: a file without a byte, which nobody writes, is this record's own. */
static int take_empty(struct run_files *f, const char *end, char *name)
{
	struct stat st;
	int fd;
	int r = earlier_take_empty(f->directory.fd, name, &fd);

	if (r < 0)
		return r == -ENOENT ? 0 : r;
	if (!f->options.no_usage && strcmp(end, "usage.jsonl") == 0) {
		struct made_file *made = &f->files[f->n_files];

		f->usage_fd = fd;
		made->name = strdup(name);
		if (!made->name)
			return -ENOMEM;
		f->n_files++;
		if (fstat(fd, &st) < 0)
			return -errno;
		made->device = st.st_dev;
		made->inode = st.st_ino;
		return 0;
	}
	r = unlinkat(f->directory.fd, name, 0) < 0 ? -errno : 0;
	close(fd);
	return r;
}

static int make_way_for(struct run_files *f, const char *end, struct error *err)
{
	char *name = join(f->name, strlen(f->name), end);
	int r = name ? 0 : -ENOMEM;

	if (r == 0 && f->options.clobber)
		r = set_aside_take(&f->old, f->directory.fd, name);
	else if (r == 0 && f->options.append)
		r = take_empty(f, end, name);
	else if (r == 0 && is_there(f, name))
		r = -EEXIST;
	free(name);
	/* Whoever has begun it meanwhile has written its info file too, or is about to. */
	if (r == -EEXIST && f->options.append && !is_there(f, f->info_name))
		return refuse(f, end, "is there without an info file: it is not continued", err);
	if (r == -EEXIST && f->options.append)
		r = -EBUSY;
	if (r == -EEXIST && !f->options.clobber)
		return exists(f, end, err);
	if (r == -EEXIST)
		return refuse(f, end, "is neither a file nor a link: it is not replaced", err);
	if (r == -EBUSY)
		return is_written(f, end, err);
	if (r < 0)
		return error_set(err, r, "cannot replace %s%s%s", f->directory.path, f->name, end);
	return 0;
}

/* Before any of it is renamed: a record that is being written is not touched. */
static int look_for_writers(const struct run_files *f, struct error *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		char *name = join(f->name, strlen(f->name), ends[i]);
		int fd = -1;
		int r = name ? writer_lock_look(f->directory.fd, name, &fd) : 0;

		free(name);
		if (fd >= 0)
			close(fd);
		if (r == -EBUSY)
			return is_written(f, ends[i], err);
	}
	return 0;
}

static int make_way(struct run_files *f, struct error *err)
{
	size_t n = f->options.clobber || f->options.fresh ? ARRAY_SIZE(ends) : N_ENDS_ALWAYS;
	int r;

	/* In a directory of its own there can be nothing yet. */
	if (f->directory.n_made > 0)
		return 0;
	r = f->options.clobber ? look_for_writers(f, err) : 0;
	if (r == 0)
		r = settle_leftovers(f, err);
	for (size_t i = 0; r == 0 && i < n; i++)
		r = make_way_for(f, ends[i], err);
	return r;
}

/* Whether there is a record that is continued. */
static int open_earlier(struct run_files *f, struct error *err)
{
	const char *where = strcmp(f->directory.path, "./") == 0 ? "" : f->directory.path;
	char *usage = join(f->name, strlen(f->name), "usage.jsonl");
	int r = usage ? settle_leftovers(f, err) : error_set(err, -ENOMEM, "cannot open a record");

	if (r == 0)
		r = earlier_open(&f->earlier, f->directory.fd, where, f->info_name,
			f->options.no_usage ? NULL : usage, err);
	free(usage);
	f->continues = r > 0;
	if (r <= 0)
		return r;
	f->usage_fd = f->earlier.usage_fd;
	f->earlier.usage_fd = -1;
	if (f->usage_fd >= 0)
		usage_writer_mend(&f->usage, f->earlier.last.torn,
			f->earlier.last.torn_is_whole || f->earlier.last.torn_is_foreign);
	f->usage.sequence_before = f->earlier.next_sequence;
	return 0;
}

/* Two that look for the same files find neither: the series, which both would make at once, tells them apart. */
static int claim(struct run_files *f, struct error *err)
{
	int fd = -1;
	int r = run_files_add(f, "usage.jsonl", O_RDWR, &fd, err);

	if (r == 0)
		close(fd);
	f->claimed = r == 0;
	return r;
}

static int open_files(struct run_files *f, struct error *err)
{
	int r = 0;

	if (f->options.append && f->options.no_info)
		return error_say(
			err, -EINVAL, "--append needs the info file, which is not to be written");
	if (f->options.append && f->directory.n_made == 0)
		r = open_earlier(f, err);
	if (r == 0 && !f->continues)
		r = make_way(f, err);
	if (r < 0 || f->usage_fd >= 0)
		return r;
	if (f->options.no_usage)
		return f->options.fresh && *f->name ? claim(f, err) : 0;
	return run_files_add(f, "usage.jsonl", O_RDWR | O_APPEND, &f->usage_fd, err);
}

int run_files_open(const char *prefix, const struct run_files_options *options,
	struct run_files **ret, struct error *err)
{
	struct run_files *f = calloc(1, sizeof(*f));
	int r;

	if (!f)
		return error_set(err, -ENOMEM, "cannot open a record");
	f->options = *options;
	f->directory.fd = f->usage_fd = f->info.reserve = f->info.lock = -1;
	f->earlier.info_fd = f->earlier.usage_fd = -1;
	r = split_prefix(f, prefix);
	if (r == 0)
		r = usage_writer_init(&f->usage, -1);
	if (r < 0)
		error_set(err, r, "cannot open a record");
	if (r == 0)
		r = run_directory_open(&f->directory,
			&(struct run_directory_options){
				.guarded = options->guarded, .fresh = options->fresh && !*f->name },
			err);
	if (r == 0)
		r = open_files(f, err);
	if (r < 0) {
		run_files_discard(f);
		run_files_close(f);
		return r;
	}
	f->usage.fd = f->usage_fd;
	if (!f->options.no_info)
		info_file_init(&f->info, f->directory.fd, f->info_name);
	f->info.replaces = f->continues;
	*ret = f;
	return 0;
}

int run_files_directory(const struct run_files *f)
{
	return f->directory.fd;
}

struct earlier *run_files_earlier(struct run_files *f)
{
	return f->continues ? &f->earlier : NULL;
}

void run_files_go_on(struct run_files *f, uint64_t before_ns, uint64_t segment)
{
	f->usage.before_ns = before_ns;
	f->usage.segment = segment;
}

struct sink *run_files_sink(struct run_files *f)
{
	return f->usage_fd >= 0 ? &f->usage.sink : NULL;
}

int run_files_write_info(
	struct run_files *f, const struct assay_run_info *info, bool final, struct error *err)
{
	struct buf text = { 0 };
	int r;

	if (f->options.no_info)
		return 0;
	info_json(info, &text);
	if (text.failed)
		r = error_set(err, -ENOMEM, "cannot make %s", f->info_name);
	else
		r = info_file_write(&f->info, text.data, text.len, final, err);
	/* What was kept for it is free now. */
	if (r < 0 && final)
		usage_writer_retry(&f->usage);
	if (f->claimed && (r == 0 || final)) {
		run_files_remove(f, "usage.jsonl");
		f->claimed = false;
	}
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

/* Removes the files whose names still lead to those that were made here. */
static void discard_files(struct run_files *f)
{
	for (size_t i = 0; i < f->n_files; i++)
		if (still_stands(f, &f->files[i]))
			unlinkat(f->directory.fd, f->files[i].name, 0);
}

/* Whether a file that was made here holds something. */
static bool holds_something(struct run_files *f, const char *end)
{
	const struct made_file *made = find_made(f, end);
	struct stat st;

	return made && still_stands(f, made) &&
	       fstatat(f->directory.fd, made->name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       st.st_size > 0;
}

enum old_record run_files_give_way(struct run_files *f)
{
	if (f->old.n == 0)
		return OLD_RECORD_NONE;
	/* What the job printed is nowhere else. */
	if (holds_something(f, "stdout") || holds_something(f, "stderr")) {
		set_aside_leave(&f->old);
		return OLD_RECORD_KEPT;
	}
	run_files_discard(f);
	return OLD_RECORD_PUT_BACK;
}

void run_files_remove_empty(struct run_files *f)
{
	if (!f->continues && !holds_something(f, "usage.jsonl"))
		run_files_discard(f);
}

void run_files_commit(struct run_files *f)
{
	set_aside_drop(&f->old, f->directory.fd);
}

void run_files_discard(struct run_files *f)
{
	if (!f)
		return;
	info_file_discard(&f->info);
	discard_files(f);
	set_aside_restore(&f->old, f->directory.fd);
	run_directory_take_back(&f->directory);
}

struct run_files *run_files_close(struct run_files *f)
{
	if (!f)
		return NULL;
	run_files_commit(f);
	info_file_done(&f->info);
	earlier_done(&f->earlier);
	usage_writer_done(&f->usage);
	if (f->usage_fd >= 0)
		close(f->usage_fd);
	run_directory_close(&f->directory);
	free(f->info_name);
	free(f->name);
	for (size_t i = 0; i < f->n_files; i++)
		free(f->files[i].name);
	free(f);
	return NULL;
}
