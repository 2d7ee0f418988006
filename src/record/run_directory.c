/* SPDX-License-Identifier: MIT */
/* Walks to the directory of a run's files, and makes what is missing. */
#include "record/run_directory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/trust.h"

#define LINKS_MAX 40 /* as the kernel follows */
#define MODE_CHOSEN 0777
#define MODE_GUARDED 0775

static void forget(struct made_directory *made)
{
	if (made->parent >= 0)
		close(made->parent);
	free(made->name);
}

/* Makes a directory; `parent`, when it is no AT_FDCWD, is copied. */
static int make(struct run_directory *d, int parent, const char *name, size_t n, mode_t mode)
{
	struct made_directory *list = realloc(d->made, (d->n_made + 1) * sizeof(*list));
	struct made_directory made = { AT_FDCWD, strndup(name, n) };
	int r = 0;

	if (list)
		d->made = list;
	if (!list || !made.name)
		r = -ENOMEM;
	if (r == 0 && parent != AT_FDCWD) {
		made.parent = fcntl(parent, F_DUPFD_CLOEXEC, 0);
		r = made.parent < 0 ? -errno : 0;
	}
	if (r == 0 && mkdirat(parent, made.name, mode) < 0)
		r = -errno;
	if (r == 0) {
		d->made[d->n_made++] = made;
		return 0;
	}
	forget(&made);
	return r;
}

/* Makes what is missing. The first failure is returned, but whether it matters the caller sees by opening: mkdir(2)
 * may well say EROFS or EACCES of a directory that is there. */
static int make_parents(struct run_directory *d)
{
	int first = 0;

	for (size_t n = 1; d->path[n]; n++) {
		if (d->path[n] != '/' || d->path[n - 1] == '/')
			continue;
		int r = make(d, AT_FDCWD, d->path, n, MODE_CHOSEN);
		if (first == 0 && r != -EEXIST)
			first = r;
	}
	return first;
}

static int open_chosen(struct run_directory *d, struct error *err)
{
	const int flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
	int r;

	d->fd = open(d->path, flags);
	if (d->fd < 0 && errno == ENOENT) {
		r = make_parents(d);
		d->fd = open(d->path, flags);
		if (d->fd < 0 && r < 0)
			return error_set(err, r, "cannot make the directory %s", d->path);
	}
	if (d->fd < 0)
		return error_set(err, -errno, "cannot open the directory %s", d->path);
	return 0;
}

/* A guarded walk: where it stands, and what it may still do. */
struct walk {
	struct run_directory *directory;
	const struct run_directory_options *options;
	int at; /* AT_FDCWD or a descriptor */
	unsigned links;
	struct error *err;
};

static int go_to(struct walk *w, int fd)
{
	if (w->at >= 0)
		close(w->at);
	w->at = fd;
	return 0;
}

/* A directory that replaced a text in the file system; its own path is taken from the end of a link as well. */
static int walk_path(struct walk *w, const char *path, bool of_link);

static int follow(struct walk *w, int link, const char *name)
{
	char target[PATH_MAX];
	ssize_t n = readlinkat(link, "", target, sizeof(target) - 1);

	if (n < 0)
		return error_set(w->err, -errno, "cannot read the link %s", name);
	if (++w->links > LINKS_MAX)
		return error_set(w->err, -ELOOP, "cannot follow the link %s", name);
	target[n] = '\0';
	return walk_path(w, target, true);
}

/* What was opened is what is judged, whatever takes its name meanwhile. */
static int enter(struct walk *w, int fd, const char *name)
{
	struct stat st;
	int r = 0;

	if (fstat(fd, &st) < 0)
		r = error_set(w->err, -errno, "cannot look at %s", name);
	else if (!trust(&st))
		r = error_say(w->err, RUN_PLACE_NOT_TRUSTED,
			trust_owner(&st) ? "everybody may write to '%s'"
					 : "'%s' belongs to somebody else",
			name);
	else if (S_ISLNK(st.st_mode))
		r = follow(w, fd, name);
	else if (!S_ISDIR(st.st_mode))
		r = error_set(w->err, -ENOTDIR, "cannot open the directory %s", name);
	else
		return go_to(w, fd);
	close(fd);
	return r;
}

static int step(struct walk *w, const char *name, bool may_make, bool must_make)
{
	const int flags = O_PATH | O_NOFOLLOW | O_CLOEXEC;
	int fd = must_make ? -1 : openat(w->at, name, flags);
	int r = 0;

	if (must_make || (fd < 0 && errno == ENOENT && may_make)) {
		r = make(w->directory, w->at, name, strlen(name), MODE_GUARDED);
		if (r < 0 && (must_make || r != -EEXIST))
			return error_set(w->err, r, "cannot make the directory %s in %s", name,
				w->directory->path);
		fd = openat(w->at, name, flags);
	}
	if (fd < 0)
		return error_set(w->err, -errno, "cannot open the directory %s", name);
	return enter(w, fd, name);
}

static int walk_path(struct walk *w, const char *path, bool of_link)
{
	int r = 0;

	if (path[0] == '/') {
		int fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);

		r = fd < 0 ? error_set(w->err, -errno, "cannot open /") : enter(w, fd, "/");
	}
	while (r == 0 && path[strspn(path, "/")]) {
		char name[NAME_MAX + 1];

		path += strspn(path, "/");
		size_t n = strcspn(path, "/");
		if (n > NAME_MAX)
			return error_set(
				w->err, -ENAMETOOLONG, "cannot open %s", w->directory->path);
		memcpy(name, path, n);
		name[n] = '\0';
		path += n;
		bool last = !path[strspn(path, "/")];
		r = step(w, name, !of_link, !of_link && last && w->options->fresh);
	}
	return r;
}

static int open_guarded(
	struct run_directory *d, const struct run_directory_options *options, struct error *err)
{
	struct walk w = { .directory = d, .options = options, .at = AT_FDCWD, .err = err };
	int r = walk_path(&w, d->path, false);

	if (r < 0) {
		(void) go_to(&w, -1);
		return r;
	}
	d->fd = w.at;
	return 0;
}

int run_directory_open(
	struct run_directory *d, const struct run_directory_options *options, struct error *err)
{
	/* Our own directory alone is where the user put himself. */
	if (!options->guarded || strcmp(d->path, "./") == 0)
		return open_chosen(d, err);
	return open_guarded(d, options, err);
}

void run_directory_take_back(struct run_directory *d)
{
	while (d->n_made > 0) {
		struct made_directory *made = &d->made[--d->n_made];

		/* It refuses a directory in which someone else has put something meanwhile. */
		(void) unlinkat(made->parent, made->name, AT_REMOVEDIR);
		forget(made);
	}
}

void run_directory_close(struct run_directory *d)
{
	for (size_t i = 0; i < d->n_made; i++)
		forget(&d->made[i]);
	free(d->made);
	free(d->path);
	if (d->fd >= 0)
		close(d->fd);
	*d = (struct run_directory){ .fd = -1 };
}
