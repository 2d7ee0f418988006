/* SPDX-License-Identifier: MIT */
/* The file of an index: where it is, what makes it ours, and how its directories are kept. */
#include "index/run_index.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/macros.h"
#include "index/index_parts.h"
#include "record/find_runs.h"

#define APPLICATION_ID 0x61737379 /* "assy" */
#define BUSY_MS 2000 /* while somebody writes what he has */
#define BUSY_WRITING_MS 50 /* while somebody collects what he will write: then it is left to him */
#define OPEN_TURNS 3
#define CACHE_READING_KIB 1024 /* what is gone through once is of no use afterwards */
#define CACHE_WRITING_KIB 16384
#define PAGE_BYTES 32768 /* nearly always all runs are gone through: the fewer pages the better */

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

/* No column has a type: a value is kept as it is given. */
static const char TABLES[] = "PRAGMA application_id = " TEXT(
	APPLICATION_ID) ";"
			"PRAGMA user_version = " TEXT(
				INDEX_FORMAT) ";"
					      "CREATE TABLE meta (key PRIMARY KEY, value) WITHOUT "
					      "ROWID;"
					      "CREATE TABLE dirs (chunk INTEGER PRIMARY KEY, "
					      "entries);"
					      "CREATE TABLE names (number INTEGER PRIMARY KEY, "
					      "name);"
					      "CREATE TABLE fields (id INTEGER PRIMARY KEY, bytes);"
					      "CREATE TABLE loose (dir, file);"
					      "CREATE INDEX loose_of_dir ON loose (dir);";

int index_run_sql(struct run_index *index, const char *sql)
{
	int code = sqlite3_exec(index->db, sql, NULL, NULL, NULL);

	if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB)
		index->damaged = true;
	if (code == SQLITE_OK)
		return 0;
	return code == SQLITE_BUSY || code == SQLITE_LOCKED ? -EBUSY : -EIO;
}

sqlite3_stmt *index_prepare(struct run_index *index, const char *sql)
{
	sqlite3_stmt *statement = NULL;
	int code = sqlite3_prepare_v2(index->db, sql, -1, &statement, NULL);

	if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB)
		index->damaged = true;
	return code == SQLITE_OK ? statement : NULL;
}

/* Makes a directory and those above it, for its owner alone. */
static int make_directories(char *path)
{
	for (char *slash = path + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		int r = mkdir(path, 0700) < 0 && errno != EEXIST ? -errno : 0;
		*slash = '/';
		if (r < 0)
			return r;
	}
	return 0;
}

/* Heap: the file of the index of that directory. NULL: no home is known. */
static char *database_path(const char *real_root)
{
	const char *cache = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");
	unsigned long long sum = index_sum(real_root, strlen(real_root));
	char *path = NULL;
	int n = -1;

	/* The specification has relative ones ignored. */
	if (cache && *cache == '/')
		n = asprintf(&path, "%s/assay/index/%016llx.sqlite3", cache, sum);
	else if (home && *home == '/')
		n = asprintf(&path, "%s/.cache/assay/index/%016llx.sqlite3", home, sum);
	return n < 0 ? NULL : path;
}

static int64_t first_integer(struct run_index *index, const char *sql)
{
	sqlite3_stmt *s = index_prepare(index, sql);
	int64_t value = s && sqlite3_step(s) == SQLITE_ROW ? sqlite3_column_int64(s, 0) : -1;

	sqlite3_finalize(s);
	return value;
}

static bool meta_is(struct run_index *index, const char *key, const char *value)
{
	sqlite3_stmt *s = index_prepare(index, "SELECT value FROM meta WHERE key = ?");
	bool is = false;

	if (s && sqlite3_bind_text(s, 1, key, -1, SQLITE_STATIC) == SQLITE_OK &&
		sqlite3_step(s) == SQLITE_ROW) {
		const char *found = (const char *) sqlite3_column_text(s, 0);

		is = found && strcmp(found, value) == 0;
	}
	sqlite3_finalize(s);
	return is;
}

static int set_meta(struct run_index *index, const char *key, const char *value)
{
	sqlite3_stmt *s = index_prepare(index, "INSERT OR REPLACE INTO meta VALUES (?, ?)");
	int r = -EIO;

	if (s && sqlite3_bind_text(s, 1, key, -1, SQLITE_STATIC) == SQLITE_OK &&
		sqlite3_bind_text(s, 2, value, -1, SQLITE_STATIC) == SQLITE_OK &&
		sqlite3_step(s) == SQLITE_DONE)
		r = 0;
	sqlite3_finalize(s);
	return r;
}

static int make_tables(struct run_index *index, const char *real_root, const char *version)
{
	struct buf sql = { 0 };
	int r;

	buf_add_text(&sql, "CREATE TABLE runs (id INTEGER PRIMARY KEY, dir, file, size, modified, "
			   "changed, inode, in_place");
	for (size_t i = 0; i < n_index_columns; i++)
		buf_addf(&sql, ", f_%s", index_columns[i]);
	buf_add_text(&sql, "); CREATE INDEX runs_of_dir ON runs (dir); "
			   "CREATE INDEX runs_in_place ON runs (id) WHERE in_place;");
	/* it cannot be chosen later */
	r = index_run_sql(index, "PRAGMA page_size = " TEXT(PAGE_BYTES));
	if (r == 0)
		r = index_run_sql(index, "BEGIN IMMEDIATE");
	if (r == 0)
		r = index_run_sql(index, TABLES);
	if (r == 0)
		r = sql.failed ? -ENOMEM : index_run_sql(index, sql.data);
	if (r == 0)
		r = set_meta(index, "root", real_root);
	if (r == 0)
		r = set_meta(index, "program", version);
	if (r == 0)
		r = set_meta(index, "generation", "0");
	if (r == 0)
		r = index_run_sql(index, "COMMIT");
	else
		index_run_sql(index, "ROLLBACK");
	buf_done(&sql);
	return r;
}

static void close_database(struct run_index *index)
{
	sqlite3_close_v2(index->db);
	index->db = NULL;
}

static int open_database(struct run_index *index, bool create)
{
	int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (create ? SQLITE_OPEN_CREATE : 0);

	if (sqlite3_open_v2(index->db_path, &index->db, flags, NULL) != SQLITE_OK) {
		close_database(index);
		return -EIO;
	}
	sqlite3_busy_timeout(index->db, BUSY_MS);
	/* Nothing in the file is to make SQLite run anything. */
	sqlite3_db_config(index->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(index->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	return index_run_sql(index, "PRAGMA cache_size = -" TEXT(CACHE_READING_KIB));
}

/* Whether the file is an index of ours, of this directory and version. */
static bool is_ours(struct run_index *index, const char *real_root, const char *version)
{
	return first_integer(index, "PRAGMA application_id") == APPLICATION_ID &&
	       first_integer(index, "PRAGMA user_version") == INDEX_FORMAT &&
	       meta_is(index, "root", real_root) && meta_is(index, "program", version);
}

/* Its journal first: one that is left would be played back into the next file of that name. */
static int remove_database(struct run_index *index)
{
	char *journal = NULL;
	int r = 0;

	if (asprintf(&journal, "%s-journal", index->db_path) < 0)
		return -ENOMEM;
	if ((unlink(journal) < 0 && errno != ENOENT) ||
		(unlink(index->db_path) < 0 && errno != ENOENT))
		r = -errno;
	free(journal);
	return r;
}

static int make_database(struct run_index *index, const char *real_root, const char *version)
{
	int r;

	close_database(index);
	r = remove_database(index);
	if (r < 0)
		return r;
	r = make_directories(index->db_path);
	if (r == 0)
		r = open_database(index, true);
	if (r == 0)
		r = make_tables(index, real_root, version);
	return r;
}

static int count_run(const struct found_run *found, void *context)
{
	size_t *n = context;

	(void) found;
	return ++*n >= INDEX_WORTH ? -ECANCELED : 0;
}

static bool is_worth_it(const char *directory)
{
	size_t n = 0;

	return find_runs(directory, count_run, &n, NULL) == -ECANCELED;
}

static int open_or_make(
	struct run_index *index, const struct run_index_options *options, const char *real_root)
{
	int r = options->rebuild ? -ENOENT : open_database(index, false);

	if (r == 0 && is_ours(index, real_root, options->program_version))
		return 0;
	/* a locked one may be right */
	if (r == -EBUSY ||
		(r == 0 && first_integer(index, "PRAGMA application_id") == APPLICATION_ID &&
			sqlite3_errcode(index->db) == SQLITE_BUSY))
		return -EBUSY;
	if (!options->rebuild && !is_worth_it(index->root))
		return -ENOMSG;
	return make_database(index, real_root, options->program_version);
}

static bool take_u64(const unsigned char **at, const unsigned char *end, uint64_t *ret)
{
	if (end - *at < 8)
		return false;
	memcpy(ret, *at, 8);
	*at += 8;
	return true;
}

/* One directory of a chunk: parent, inode, times, name. */
static bool load_dir(struct run_index *index, const unsigned char **at, const unsigned char *end)
{
	struct index_dir dir = { 0 };
	uint64_t parent;
	uint64_t modified;
	uint64_t changed;

	if (!take_u64(at, end, &parent) || !take_u64(at, end, &dir.inode) ||
		!take_u64(at, end, &modified) || !take_u64(at, end, &changed))
		return false;
	const unsigned char *nul = memchr(*at, '\0', (size_t) (end - *at));
	if (!nul || (parent != INDEX_NO_DIR && parent >= index->n_dirs))
		return false;
	dir.name = (const char *) *at;
	dir.parent = (uint32_t) parent;
	dir.modified_ns = (int64_t) modified;
	dir.changed_ns = (int64_t) changed;
	*at = nul + 1;
	index->dirs[index->n_dirs++] = dir;
	return true;
}

static int load_chunk(struct run_index *index, const void *bytes, size_t n)
{
	char **chunks = realloc(index->chunks, (index->n_chunks + 1) * sizeof(*chunks));
	struct index_dir *dirs =
		realloc(index->dirs, (index->n_dirs + INDEX_CHUNK + (size_t) 1) * sizeof(*dirs));
	char *copy = malloc(n + 1);
	uint64_t sum;

	if (chunks)
		index->chunks = chunks;
	if (dirs)
		index->dirs = dirs;
	if (!chunks || !dirs || !copy) {
		free(copy);
		return -ENOMEM;
	}
	if (n > 0)
		memcpy(copy, bytes, n);
	chunks[index->n_chunks++] = copy;
	index->room_dirs = index->n_dirs + INDEX_CHUNK + 1;
	const unsigned char *at = (const unsigned char *) copy;
	const unsigned char *end = at + n;
	uint32_t before = index->n_dirs;
	if (!take_u64(&at, end, &sum) || sum != index_sum(at, (size_t) (end - at)))
		return -EIO;
	while (at < end && index->n_dirs < before + INDEX_CHUNK)
		if (!load_dir(index, &at, end))
			return -EIO;
	return at == end ? 0 : -EIO;
}

static int load_dirs(struct run_index *index)
{
	sqlite3_stmt *s = index_prepare(index, "SELECT chunk, entries FROM dirs ORDER BY chunk");
	int r = s ? 0 : -EIO;
	int code = SQLITE_DONE;

	while (r == 0 && (code = sqlite3_step(s)) == SQLITE_ROW) {
		/* only the last may be short */
		if (sqlite3_column_int64(s, 0) * INDEX_CHUNK != index->n_dirs)
			r = -EIO;
		else
			r = load_chunk(index, sqlite3_column_blob(s, 1),
				(size_t) sqlite3_column_bytes(s, 1));
	}
	sqlite3_finalize(s);
	return r == 0 && code != SQLITE_DONE ? -EIO : r;
}

static int load_names(struct run_index *index)
{
	sqlite3_stmt *s = index_prepare(index, "SELECT number, name FROM names ORDER BY number");
	int r = s ? 0 : -EIO;
	int code = SQLITE_DONE;

	while (r == 0 && (code = sqlite3_step(s)) == SQLITE_ROW) {
		const char *name = (const char *) sqlite3_column_text(s, 1);
		int64_t number = name ? index_name_number(index, name, true) : -1;

		if (number != sqlite3_column_int64(s, 0))
			r = number == -ENOMEM ? -ENOMEM : -EIO;
	}
	sqlite3_finalize(s);
	index->n_stored_names = index->n_names;
	return r == 0 && code != SQLITE_DONE ? -EIO : r;
}

int index_load(struct run_index *index)
{
	int r = index_run_sql(index, "BEGIN");

	if (r == 0) {
		index->generation = first_integer(
			index, "SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'generation'");
		r = index->generation < 0 ? -EIO : load_dirs(index);
	}
	if (r == 0)
		r = load_names(index);
	if (r == 0 && index->n_dirs == 0 && index_add_dir(index, INDEX_NO_DIR, "") == INDEX_NO_DIR)
		r = -ENOMEM;
	if (r == 0 && (index->dirs[0].parent != INDEX_NO_DIR || index->dirs[0].name[0]))
		r = -EIO;
	if (r == -EIO && sqlite3_errcode(index->db) != SQLITE_BUSY)
		index->damaged = true;
	return r;
}

/* What was read stays as it was read only while nobody else has written: 0; -EBUSY somebody writes; -EAGAIN somebody has. */
int index_begin_writing(struct run_index *index)
{
	int64_t generation;
	int r;

	index_run_sql(index, "COMMIT");
	sqlite3_busy_timeout(index->db, BUSY_WRITING_MS);
	r = index_run_sql(index, "BEGIN IMMEDIATE");
	sqlite3_busy_timeout(index->db, BUSY_MS);
	if (r < 0 && index_run_sql(index, "BEGIN") < 0)
		return -EIO;
	generation = first_integer(
		index, "SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'generation'");
	if (generation != index->generation)
		return -EAGAIN;
	index->writing = r == 0;
	return r == 0 ? index_run_sql(index, "PRAGMA cache_size = -" TEXT(CACHE_WRITING_KIB)) : r;
}

static int save_chunk(struct run_index *index, sqlite3_stmt *s, uint32_t chunk)
{
	uint32_t end = (chunk + 1) * INDEX_CHUNK < index->n_dirs ? (chunk + 1) * INDEX_CHUNK
								 : index->n_dirs;
	uint64_t sum = 0;

	buf_clear(&index->bytes);
	buf_add(&index->bytes, &sum, sizeof(sum));
	for (uint32_t i = chunk * INDEX_CHUNK; i < end; i++) {
		const struct index_dir *dir = &index->dirs[i];
		uint64_t parent = dir->parent;

		buf_add(&index->bytes, &parent, 8);
		buf_add(&index->bytes, &dir->inode, 8);
		buf_add(&index->bytes, &dir->modified_ns, 8);
		buf_add(&index->bytes, &dir->changed_ns, 8);
		buf_add(&index->bytes, dir->name, strlen(dir->name) + 1);
	}
	if (index->bytes.failed)
		return -ENOMEM;
	sum = index_sum(index->bytes.data + 8, index->bytes.len - 8);
	memcpy(index->bytes.data, &sum, 8);
	if (sqlite3_reset(s) != SQLITE_OK || sqlite3_bind_int64(s, 1, chunk) != SQLITE_OK ||
		sqlite3_bind_blob(s, 2, index->bytes.data, (int) index->bytes.len, SQLITE_STATIC) !=
			SQLITE_OK)
		return -EIO;
	return sqlite3_step(s) == SQLITE_DONE ? 0 : -EIO;
}

static int save_dirs(struct run_index *index)
{
	sqlite3_stmt *s = index_prepare(index, "INSERT OR REPLACE INTO dirs VALUES (?, ?)");
	int r = s ? 0 : -EIO;

	for (uint32_t chunk = 0; r == 0 && chunk * INDEX_CHUNK < index->n_dirs; chunk++) {
		bool dirty = false;

		for (uint32_t i = chunk * INDEX_CHUNK;
			i < index->n_dirs && i < (chunk + 1) * INDEX_CHUNK; i++)
			dirty = dirty || index->dirs[i].dirty;
		if (dirty)
			r = save_chunk(index, s, chunk);
	}
	sqlite3_finalize(s);
	return r;
}

static int save_names(struct run_index *index)
{
	sqlite3_stmt *s = index_prepare(index, "INSERT INTO names VALUES (?, ?)");
	int r = s ? 0 : -EIO;

	for (size_t i = index->n_stored_names; r == 0 && i < index->n_names; i++) {
		if (sqlite3_reset(s) != SQLITE_OK ||
			sqlite3_bind_int64(s, 1, (int64_t) i) != SQLITE_OK ||
			sqlite3_bind_text(s, 2, index->names[i], -1, SQLITE_STATIC) != SQLITE_OK ||
			sqlite3_step(s) != SQLITE_DONE)
			r = -EIO;
	}
	sqlite3_finalize(s);
	return r;
}

int index_save(struct run_index *index)
{
	char generation[32];
	int r = index->failed ? -EIO : save_dirs(index);

	snprintf(generation, sizeof(generation), "%lld", (long long) index->generation + 1);
	if (r == 0)
		r = save_names(index);
	if (r == 0)
		r = set_meta(index, "generation", generation);
	r = index_run_sql(index, r == 0 ? "COMMIT" : "ROLLBACK");
	index->writing = false;
	return r;
}

static int open_turn(const char *directory, const char *real_root,
	const struct run_index_options *options, struct run_index **ret)
{
	struct run_index *index = calloc(1, sizeof(*index));
	int64_t now = (int64_t) clock_realtime_ns();
	int r;

	*ret = index;
	if (!index)
		return -ENOMEM;
	index->root_fd = -1;
	index->root = strdup(directory);
	index->db_path = database_path(real_root);
	if (!index->root)
		return -ENOMEM;
	if (!index->db_path)
		return -ENOENT;
	index->root_fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	r = index->root_fd < 0 ? -errno : open_or_make(index, options, real_root);
	if (r == 0)
		r = index_load(index);
	if (r == 0)
		r = index_look_begin(index);
	if (r < 0)
		return r;
	/* Processors that would wait for the file system have something to do. */
	if (options->meanwhile)
		options->meanwhile(index, options->context);
	r = index_look_end(index);
	if (r == 0)
		r = index->damaged ? -EIO : index_scan_changes(index, now);
	return r;
}

int run_index_open(const char *directory, const struct run_index_options *options,
	struct run_index **ret, struct error *err)
{
	char *real_root = realpath(directory, NULL);
	int r = real_root ? -EAGAIN : -errno;
	bool damaged = false;

	*ret = NULL;
	for (int turn = 0; real_root && turn < OPEN_TURNS && (r == -EAGAIN || damaged); turn++) {
		r = open_turn(directory, real_root, options, ret);
		if (r == 0)
			break;
		damaged = *ret && (*ret)->damaged;
		*ret = run_index_close(*ret);
	}
	free(real_root);
	if (r < 0)
		error_set(err, r, "no index of %s is used", directory);
	return r;
}

struct run_index *run_index_close(struct run_index *index)
{
	if (!index)
		return NULL;
	sqlite3_finalize(index->rows);
	sqlite3_finalize(index->row);
	if (index->writing)
		index_save(index);
	sqlite3_finalize(index->insert_run);
	sqlite3_finalize(index->insert_fields);
	sqlite3_finalize(index->insert_loose);
	close_database(index);
	if (index->damaged)
		remove_database(index);
	if (index->root_fd >= 0)
		close(index->root_fd);
	if (index->is_open)
		stored_run_done(&index->opened);
	for (uint32_t i = 0; i < index->n_dirs; i++)
		free(index->dirs[i].owned);
	for (uint32_t i = 0; i < index->n_chunks; i++)
		free(index->chunks[i]);
	for (size_t i = 0; i < index->n_files; i++)
		free(index->files[i].name);
	for (size_t i = 0; i < index->n_names; i++)
		free(index->names[i]);
	free(index->dirs);
	free(index->chunks);
	free(index->files);
	free(index->names);
	free(index->name_slots);
	free(index->wanted);
	free(index->dropped);
	free(index->db_path);
	free(index->root);
	free(index->text);
	buf_done(&index->path);
	buf_done(&index->bytes);
	free(index);
	return NULL;
}
