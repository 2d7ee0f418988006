/* SPDX-License-Identifier: MIT */
/* Looks at every directory that is known, in several threads, and tells which are no longer as they were. */
#include "index/run_index.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "index/index_parts.h"

#define THREADS_MAX 8
#define DIRS_OF_A_THREAD 2000 /* fewer are looked at before another has begun */
#define DIRS_AT_ONCE 256 /* taken by a thread that has nothing to do */
#define DEPTH_MAX 1000

/* A place that is free, behind that of the parent, so that parents always come first. */
static uint32_t find_free(struct run_index *index, uint32_t parent)
{
	uint32_t i = index->first_free > 1 ? index->first_free : 1;

	while (i < index->n_dirs && index->dirs[i].parent != INDEX_NO_DIR)
		i++;
	index->first_free = i;
	return i < index->n_dirs && parent != INDEX_NO_DIR && i > parent ? i : INDEX_NO_DIR;
}

uint32_t index_add_dir(struct run_index *index, uint32_t parent, const char *name)
{
	uint32_t place = find_free(index, parent);

	if (place == INDEX_NO_DIR && index->n_dirs == index->room_dirs) {
		uint32_t room = index->room_dirs ? 2 * index->room_dirs : 64;
		struct index_dir *dirs = realloc(index->dirs, room * sizeof(*dirs));

		if (!dirs)
			return INDEX_NO_DIR;
		index->dirs = dirs;
		index->room_dirs = room;
	}
	char *owned = strdup(name);
	if (!owned)
		return INDEX_NO_DIR;
	if (place == INDEX_NO_DIR)
		place = index->n_dirs++;
	else
		free(index->dirs[place].owned);
	index->dirs[place] = (struct index_dir){ .name = owned,
		.owned = owned,
		.parent = parent,
		.change = DIR_CHANGED,
		.dirty = true };
	return place;
}

/* Adds the names from the root on, each with a slash before it. */
static void add_path(const struct run_index *index, uint32_t dir, struct buf *out)
{
	uint32_t way[DEPTH_MAX];
	int depth = 0;

	for (; dir != 0 && dir != INDEX_NO_DIR && depth < DEPTH_MAX; dir = index->dirs[dir].parent)
		way[depth++] = dir;
	while (depth > 0) {
		const char *name = index->dirs[way[--depth]].name;

		if (out->len > 0)
			buf_add_char(out, '/');
		buf_add_text(out, name);
	}
}

const char *index_dir_path(struct run_index *index, uint32_t dir)
{
	buf_clear(&index->path);
	add_path(index, dir, &index->path);
	if (index->path.len == 0)
		buf_add_char(&index->path, '.');
	return index->path.failed ? "" : index->path.data;
}

struct index_look {
	struct run_index *index;
	atomic_uint next; /* the first that nobody has taken */
	atomic_bool failed;
	pthread_t threads[THREADS_MAX];
	unsigned n_threads; /* besides the one that began it */
};

static void compare(struct index_dir *dir, int r, const struct stat *st)
{
	if (r < 0 || !S_ISDIR(st->st_mode))
		dir->change = r < 0 && errno != ENOENT && errno != ENOTDIR ? DIR_CHANGED : DIR_GONE;
	else if (dir->inode == st->st_ino && dir->modified_ns != 0 &&
		 dir->modified_ns == index_ns(&st->st_mtim) &&
		 dir->changed_ns == index_ns(&st->st_ctim))
		dir->change = DIR_SAME;
	else
		dir->change = DIR_CHANGED;
}

/* Those of one parent stand together, so that its path is made once for them. */
static void look_at_some(
	struct run_index *index, int root_fd, uint32_t begin, uint32_t end, struct buf *path)
{
	uint32_t parent = INDEX_NO_DIR;
	size_t n_parent = 0;

	buf_clear(path);
	for (uint32_t i = begin; i < end; i++) {
		struct index_dir *dir = &index->dirs[i];
		struct stat st;

		if (i != 0 && dir->parent == INDEX_NO_DIR)
			continue; /* a free place */
		if (dir->parent != parent) {
			parent = dir->parent;
			path->len = 0;
			add_path(index, parent, path);
			n_parent = path->len;
		}
		path->len = n_parent;
		if (n_parent > 0)
			buf_add_char(path, '/');
		buf_add_text(path, i == 0 ? "." : dir->name);
		if (path->failed)
			return;
		compare(dir, fstatat(root_fd, path->data, &st, AT_SYMLINK_NOFOLLOW), &st);
	}
}

/* With a descriptor of its own: each call counts its users, which threads that share one wait for. */
static void *look_at_the_next(void *context)
{
	struct index_look *look = context;
	struct run_index *index = look->index;
	int own_fd = openat(index->root_fd, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct buf path = { 0 };
	uint32_t begin;

	while (!path.failed &&
		(begin = atomic_fetch_add(&look->next, DIRS_AT_ONCE)) < index->n_dirs) {
		uint32_t n = index->n_dirs - begin;

		look_at_some(index, own_fd < 0 ? index->root_fd : own_fd, begin,
			begin + (n < DIRS_AT_ONCE ? n : DIRS_AT_ONCE), &path);
	}
	if (path.failed)
		atomic_store(&look->failed, true);
	if (own_fd >= 0)
		close(own_fd);
	buf_done(&path);
	return NULL;
}

static unsigned processors(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) < 0 ? 1 : (unsigned) CPU_COUNT(&set);
}

int index_look_begin(struct run_index *index)
{
	struct index_look *look = calloc(1, sizeof(*look));
	unsigned n = processors() < THREADS_MAX ? processors() : THREADS_MAX;

	if (!look)
		return -ENOMEM;
	index->look = look;
	look->index = index;
	if (n > 1 + index->n_dirs / DIRS_OF_A_THREAD)
		n = 1 + index->n_dirs / DIRS_OF_A_THREAD;
	/* One that cannot be had is no failure: the others look at what would have been its part. */
	while (look->n_threads + 1 < n &&
		pthread_create(&look->threads[look->n_threads], NULL, look_at_the_next, look) == 0)
		look->n_threads++;
	return 0;
}

int index_look_end(struct run_index *index)
{
	struct index_look *look = index->look;
	int r;

	look_at_the_next(look);
	for (unsigned i = 0; i < look->n_threads; i++)
		pthread_join(look->threads[i], NULL);
	r = atomic_load(&look->failed) ? -ENOMEM : 0;
	free(look);
	index->look = NULL;
	return r;
}
