/* SPDX-License-Identifier: MIT */
/* Reads the directories that changed, and tells which runs are as they were and which files are to be read. */
#include "index/run_index.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/macros.h"
#include "index/index_parts.h"
#include "record/run_names.h"

/* Times of a file system go on in steps, of 10 ms at most on Linux; a server's clock may be another. A directory that changed so lately may change once more with
 * its times as they are. */
#define LATELY_NS ((int64_t) 2 * (int64_t) NSEC_PER_SEC)

/* What stands in a directory now. */
struct listing {
	struct subdir {
		char *name;
		uint64_t inode;
	} * subdirs;
	size_t n_subdirs, room_subdirs;
	size_t first_file; /* of index->files: those of this directory come last there */
};

/* Subdirectories that are known, by their names; made when the first of them is asked for. */
struct children {
	uint32_t parent;
	uint32_t *slots;
	size_t n_slots;
};

static int drop(struct run_index *index, int64_t id)
{
	if (id < 0)
		return -EIO;
	if (id >= index->n_dropped) {
		int64_t n = (id / 4096 + 1) * 4096;
		uint8_t *bits = realloc(index->dropped, (size_t) n / 8);

		if (!bits)
			return -ENOMEM;
		memset(bits + index->n_dropped / 8, 0, (size_t) (n - index->n_dropped) / 8);
		index->dropped = bits;
		index->n_dropped = n;
	}
	index->dropped[id / 8] |= (uint8_t) (1u << (id % 8));
	return 0;
}

static int add_file(struct run_index *index, const struct index_file *file, const char *name)
{
	if (index->n_files == index->room_files) {
		size_t room = index->room_files ? 2 * index->room_files : 64;
		struct index_file *files = realloc(index->files, room * sizeof(*files));

		if (!files)
			return -ENOMEM;
		index->files = files;
		index->room_files = room;
	}
	char *copy = name ? strdup(name) : NULL;
	if (name && !copy)
		return -ENOMEM;
	index->files[index->n_files] = *file;
	index->files[index->n_files++].name = copy;
	return 0;
}

static int add_subdir(struct listing *l, const struct dirent *entry)
{
	if (l->n_subdirs == l->room_subdirs) {
		size_t room = l->room_subdirs ? 2 * l->room_subdirs : 16;
		struct subdir *subdirs = realloc(l->subdirs, room * sizeof(*subdirs));

		if (!subdirs)
			return -ENOMEM;
		l->subdirs = subdirs;
		l->room_subdirs = room;
	}
	char *copy = strdup(entry->d_name);
	if (!copy)
		return -ENOMEM;
	l->subdirs[l->n_subdirs].name = copy;
	l->subdirs[l->n_subdirs++].inode = entry->d_ino;
	return 0;
}

static int take_entry(struct run_index *index, uint32_t dir, int fd, const struct dirent *entry,
	struct listing *l)
{
	struct index_file file = { .dir = dir };
	bool is_info = run_name_is(entry->d_name, RUN_NAME_INFO);
	unsigned char type = entry->d_type;

	if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
		return 0;
	if (type == DT_DIR && !is_info)
		return add_subdir(l, entry);
	if (!is_info && type != DT_UNKNOWN)
		return 0;
	if (fstatat(fd, entry->d_name, &file.st, AT_SYMLINK_NOFOLLOW) < 0) {
		file.code = -errno;
		/* it went meanwhile */
		if (!is_info || file.code == -ENOENT)
			return 0;
		return add_file(index, &file, entry->d_name);
	}
	if (S_ISDIR(file.st.st_mode)) {
		int r = add_subdir(l, entry);

		if (r < 0 || !is_info)
			return r;
		file.code = -EISDIR;
	}
	file.link = S_ISLNK(file.st.st_mode);
	return is_info ? add_file(index, &file, entry->d_name) : 0;
}

/* A directory that cannot be read is one that changed, each time, so that it is told. */
static int list(struct run_index *index, uint32_t dir, int64_t now_ns, struct listing *l)
{
	struct index_dir *d = &index->dirs[dir];
	const char *path = index_dir_path(index, dir);
	int fd = openat(index->root_fd, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *stream = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	struct stat st;
	int r = 0;

	d->dirty = true;
	d->modified_ns = d->changed_ns = 0;
	if (!stream || fstat(fd, &st) < 0) {
		struct index_file file = { .dir = dir, .code = -errno };

		if (fd >= 0 && !stream)
			close(fd);
		return add_file(index, &file, NULL);
	}
	while (r == 0 && (errno = 0, entry = readdir(stream)))
		r = take_entry(index, dir, fd, entry, l);
	if (r == 0 && errno) {
		struct index_file file = { .dir = dir, .code = -errno };

		r = add_file(index, &file, NULL);
	} else if (r == 0 && index_ns(&st.st_mtim) < now_ns - LATELY_NS &&
		   index_ns(&st.st_ctim) < now_ns - LATELY_NS) {
		d->modified_ns = index_ns(&st.st_mtim);
		d->changed_ns = index_ns(&st.st_ctim);
	}
	d->inode = st.st_ino;
	closedir(stream);
	return r;
}

static uint64_t slot_of(const struct children *c, const char *name)
{
	return index_sum(name, strlen(name)) & (c->n_slots - 1);
}

static int collect_children(const struct run_index *index, struct children *c)
{
	size_t n = 0;

	for (uint32_t i = 1; i < index->n_dirs; i++)
		n += index->dirs[i].parent == c->parent;
	for (c->n_slots = 16; c->n_slots < 2 * n; c->n_slots *= 2)
		;
	c->slots = calloc(c->n_slots, sizeof(*c->slots));
	if (!c->slots)
		return -ENOMEM;
	for (uint32_t i = 1; n > 0 && i < index->n_dirs; i++) {
		if (index->dirs[i].parent != c->parent)
			continue;
		uint64_t slot = slot_of(c, index->dirs[i].name);
		while (c->slots[slot])
			slot = (slot + 1) & (c->n_slots - 1);
		c->slots[slot] = i; /* never 0: that is the root */
	}
	return 0;
}

static uint32_t find_child(
	const struct run_index *index, const struct children *c, const char *name)
{
	for (uint64_t slot = slot_of(c, name); c->slots[slot]; slot = (slot + 1) & (c->n_slots - 1))
		if (strcmp(index->dirs[c->slots[slot]].name, name) == 0)
			return c->slots[slot];
	return INDEX_NO_DIR;
}

static int compare_inodes(const void *a, const void *b)
{
	const struct subdir *x = a;
	const struct subdir *y = b;

	return (x->inode > y->inode) - (x->inode < y->inode);
}

/* New ones come behind all others, and are read in their turn: by their inodes, as the disk and mostly the memory have them, which are then gone through faster. Those that are gone were found so when they were looked at. */
static int take_subdirs(struct run_index *index, uint32_t dir, const struct listing *l)
{
	struct children c = { .parent = dir };
	int r = l->n_subdirs > 0 ? collect_children(index, &c) : 0;

	if (l->n_subdirs > 0)
		qsort(l->subdirs, l->n_subdirs, sizeof(*l->subdirs), compare_inodes);
	for (size_t i = 0; r == 0 && i < l->n_subdirs; i++) {
		uint32_t known = find_child(index, &c, l->subdirs[i].name);

		if (known == INDEX_NO_DIR) {
			if (index_add_dir(index, dir, l->subdirs[i].name) == INDEX_NO_DIR)
				r = -ENOMEM;
		} else if (index->dirs[known].change == DIR_GONE) {
			index->dirs[known].change = DIR_CHANGED; /* it came back meanwhile */
		}
	}
	free(c.slots);
	return r;
}

static bool is_same(sqlite3_stmt *s, const struct stat *st)
{
	return sqlite3_column_int64(s, 2) == st->st_size &&
	       sqlite3_column_int64(s, 3) == index_ns(&st->st_mtim) &&
	       sqlite3_column_int64(s, 4) == index_ns(&st->st_ctim) &&
	       sqlite3_column_int64(s, 5) == (int64_t) st->st_ino;
}

static int compare_files(const void *a, const void *b)
{
	const struct index_file *x = a;
	const struct index_file *y = b;

	if (!x->name || !y->name)
		return (x->name != NULL) - (y->name != NULL);
	return strcmp(x->name, y->name);
}

static void forget_file(struct run_index *index, struct index_file *file)
{
	free(file->name);
	index->n_files--;
	*file = index->files[index->n_files];
}

static int compare_name(const void *name, const void *file)
{
	const struct index_file *f = file;

	return f->name ? strcmp(name, f->name) : 1;
}

/* Runs of the directory that are as they were need not be read; the others are dropped. */
static int compare_runs(struct run_index *index, uint32_t dir, const struct listing *l)
{
	sqlite3_stmt *s = index_prepare(
		index, "SELECT id, file, size, modified, changed, inode FROM runs WHERE dir = ?");
	struct index_file *begin = index->files ? index->files + l->first_file : NULL;
	size_t n = index->n_files - l->first_file;
	uint8_t *same = calloc(n + 1, 1);
	int code = SQLITE_ERROR;
	int r = s && same && sqlite3_bind_int64(s, 1, dir) == SQLITE_OK ? 0 : -EIO;

	if (begin && n > 0)
		qsort(begin, n, sizeof(*begin), compare_files);
	while (r == 0 && (code = sqlite3_step(s)) == SQLITE_ROW) {
		const char *name = (const char *) sqlite3_column_text(s, 1);
		struct index_file *file =
			name && begin && n > 0
				? bsearch(name, begin, n, sizeof(*begin), compare_name)
				: NULL;

		if (file && file->code == 0 && !file->link && is_same(s, &file->st))
			same[file - begin] = 1;
		else
			r = drop(index, sqlite3_column_int64(s, 0));
	}
	if (r == 0 && code != SQLITE_DONE)
		r = -EIO;
	for (size_t i = n; begin && r == 0 && i-- > 0;)
		if (same[i])
			forget_file(index, begin + i);
	free(same);
	sqlite3_finalize(s);
	return r;
}

static int drop_runs_of(struct run_index *index, uint32_t dir)
{
	sqlite3_stmt *s = index_prepare(index, "SELECT id FROM runs WHERE dir = ?");
	int r = s && sqlite3_bind_int64(s, 1, dir) == SQLITE_OK ? 0 : -EIO;
	int code = SQLITE_ERROR;

	while (r == 0 && (code = sqlite3_step(s)) == SQLITE_ROW)
		r = drop(index, sqlite3_column_int64(s, 0));
	sqlite3_finalize(s);
	return r == 0 && code != SQLITE_DONE ? -EIO : r;
}

static int scan_dir(struct run_index *index, uint32_t dir, int64_t now_ns)
{
	struct listing l = { .first_file = index->n_files };
	int r = list(index, dir, now_ns, &l);

	if (r == 0)
		r = compare_runs(index, dir, &l);
	if (r == 0)
		r = take_subdirs(index, dir, &l);
	for (size_t i = 0; i < l.n_subdirs; i++)
		free(l.subdirs[i].name);
	free(l.subdirs);
	return r;
}

/* Those whose directory is as it was: what could not be settled is read again. */
static int take_loose(struct run_index *index)
{
	sqlite3_stmt *s = index_prepare(index, "SELECT dir, file FROM loose");
	int code = SQLITE_ERROR;
	int r = s ? 0 : -EIO;

	while (r == 0 && (code = sqlite3_step(s)) == SQLITE_ROW) {
		int64_t dir = sqlite3_column_int64(s, 0);
		const char *name = (const char *) sqlite3_column_text(s, 1);
		struct index_file file = { .dir = (uint32_t) dir, .loose = true };

		if (dir < 0 || dir >= index->n_dirs || !name)
			r = -EIO;
		else if (index->dirs[dir].change == DIR_SAME)
			r = add_file(index, &file, name);
	}
	sqlite3_finalize(s);
	return r == 0 && code != SQLITE_DONE ? -EIO : r;
}

/* Files that are written in place change without their directory. */
static int look_at_in_place(struct run_index *index)
{
	sqlite3_stmt *s = index_prepare(index,
		"SELECT id, file, size, modified, changed, inode, dir FROM runs WHERE in_place");
	int code = SQLITE_ERROR;
	int r = s ? 0 : -EIO;

	while (r == 0 && (code = sqlite3_step(s)) == SQLITE_ROW) {
		int64_t dir = sqlite3_column_int64(s, 6);
		const char *name = (const char *) sqlite3_column_text(s, 1);
		struct index_file file = { .dir = (uint32_t) dir };

		if (dir < 0 || dir >= index->n_dirs || !name) {
			r = -EIO;
			break;
		}
		if (index->dirs[dir].change != DIR_SAME)
			continue;
		index_dir_path(index, file.dir);
		buf_addf(&index->path, "/%s", name);
		if (index->path.failed) {
			r = -ENOMEM;
			break;
		}
		if (fstatat(index->root_fd, index->path.data, &file.st, AT_SYMLINK_NOFOLLOW) == 0 &&
			is_same(s, &file.st))
			continue;
		r = drop(index, sqlite3_column_int64(s, 0));
		if (r == 0)
			r = add_file(index, &file, name);
	}
	sqlite3_finalize(s);
	return r == 0 && code != SQLITE_DONE ? -EIO : r;
}

/* What is below a directory that is gone is gone, whatever took its place. */
static void go_with_parents(struct run_index *index)
{
	for (uint32_t i = 1; i < index->n_dirs; i++) {
		struct index_dir *dir = &index->dirs[i];

		if (dir->parent != INDEX_NO_DIR && dir->parent < i &&
			index->dirs[dir->parent].change == DIR_GONE)
			dir->change = DIR_GONE;
	}
}

static int take_change(struct run_index *index, uint32_t i, int64_t now_ns)
{
	struct index_dir *dir = &index->dirs[i];

	if ((i != 0 && dir->parent == INDEX_NO_DIR) || dir->change == DIR_SAME)
		return 0;
	if (dir->change == DIR_CHANGED)
		return scan_dir(index, i, now_ns);
	return drop_runs_of(index, i);
}

/* Deletes what was dropped, and what was loose in what changed. */
static int write_drops(struct run_index *index)
{
	sqlite3_stmt *run = index_prepare(index, "DELETE FROM runs WHERE id = ?");
	sqlite3_stmt *fields = index_prepare(index, "DELETE FROM fields WHERE id = ?");
	sqlite3_stmt *loose = index_prepare(index, "DELETE FROM loose WHERE dir = ?");
	int r = run && fields && loose ? 0 : -EIO;

	for (int64_t id = 0; r == 0 && id < index->n_dropped; id++) {
		if (!(index->dropped[id / 8] & (1u << (id % 8))))
			continue;
		sqlite3_reset(run);
		sqlite3_reset(fields);
		if (sqlite3_bind_int64(run, 1, id) != SQLITE_OK ||
			sqlite3_bind_int64(fields, 1, id) != SQLITE_OK ||
			sqlite3_step(run) != SQLITE_DONE || sqlite3_step(fields) != SQLITE_DONE)
			r = -EIO;
	}
	for (uint32_t i = 0; r == 0 && i < index->n_dirs; i++) {
		struct index_dir *dir = &index->dirs[i];

		if (dir->change == DIR_SAME || (i != 0 && dir->parent == INDEX_NO_DIR))
			continue;
		sqlite3_reset(loose);
		if (sqlite3_bind_int64(loose, 1, i) != SQLITE_OK ||
			sqlite3_step(loose) != SQLITE_DONE)
			r = -EIO;
		if (dir->change == DIR_GONE) {
			dir->parent = INDEX_NO_DIR; /* the place stays free */
			dir->dirty = true;
		}
	}
	sqlite3_finalize(run);
	sqlite3_finalize(fields);
	sqlite3_finalize(loose);
	return r;
}

static bool has_changes(const struct run_index *index)
{
	for (uint32_t i = 0; i < index->n_dirs; i++)
		if (index->dirs[i].change != DIR_SAME &&
			(i == 0 || index->dirs[i].parent != INDEX_NO_DIR))
			return true;
	return index->n_dropped > 0;
}

int index_scan_changes(struct run_index *index, int64_t now_ns)
{
	int r = index->dirs[0].change == DIR_GONE ? -ENOENT : 0;

	go_with_parents(index);
	/* n_dirs grows meanwhile */
	for (uint32_t i = 0; r == 0 && i < index->n_dirs; i++)
		r = take_change(index, i, now_ns);
	if (r == 0)
		r = take_loose(index);
	if (r == 0)
		r = look_at_in_place(index);
	if (r == 0 && has_changes(index)) {
		r = index_begin_writing(index);
		if (r == 0 && write_drops(index) < 0)
			index->failed = true;
		if (r == -EBUSY)
			r = 0; /* it stays as it was, and so is still right */
	}
	return r;
}
