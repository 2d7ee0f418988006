/* SPDX-License-Identifier: MIT */
/* Answers for the runs that are as they were, and takes in those that were read. */
#include "index/run_index.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/macros.h"
#include "index/index_parts.h"
#include "record/run_names.h"

/* Names of columns are made of these. Their values are in the fields, too, with their quality: of a column only what is compared is of use. */
const char *const index_columns[] = { "started", "ended", "exit_code", "wall_seconds",
	"cpu_seconds", "cpu_mean_cores", "cpu_peak_cores", "memory_peak_bytes",
	"memory_peak_process_bytes", "io_read_bytes", "io_write_bytes", "processes", "command",
	"hostname", "user", "name", "id", "signal", "job_id", "limit", "state", "format" };
const size_t n_index_columns = ARRAY_SIZE(index_columns);

/* Columns of every statement that goes over runs. */
#define ROW "SELECT r.id, r.dir, r.size, r.modified, r.changed, r.inode, r.file"
enum { ROW_ID, ROW_DIR, ROW_SIZE, ROW_MODIFIED, ROW_CHANGED, ROW_INODE, ROW_FILE, ROW_FIELDS };

static int column_of(const char *name)
{
	for (size_t i = 0; i < n_index_columns; i++)
		if (strcmp(index_columns[i], name) == 0)
			return (int) i;
	return -1;
}

/* An object is not stored, but its members are. */
static bool is_object(const struct run_index *index, const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; i < index->n_names; i++)
		if (strncmp(index->names[i], name, n) == 0 && index->names[i][n] == '.')
			return true;
	return false;
}

static struct index_wanted find_wanted(struct run_index *index, const char *name)
{
	struct index_wanted w = { .name = name, .column = -1 };
	bool found;

	w.of_files = field_is_of_files(name);
	w.number = index_name_number(index, name, false);
	found = w.number >= 0 || w.of_files;
	/* With one of ours it is only another word for it. */
	if (!found && field_same(name, 0) && !field_same(name, 1)) {
		w.name = field_same(name, 0);
		w.number = index_name_number(index, w.name, false);
		found = w.number >= 0;
	}
	for (size_t i = 0; i < FIELD_SAME_MAX; i++) {
		const char *same = field_same(w.name, i);

		w.same[i] = same ? index_name_number(index, same, false) : -1;
		found = found || w.same[i] >= 0;
	}
	w.in_file = field_is_apart(name) || (!found && is_object(index, name));
	return w;
}

static bool is_kept(const struct index_wanted *w)
{
	bool kept = w->number >= 0;

	for (size_t i = 0; i < FIELD_SAME_MAX; i++)
		kept = kept || w->same[i] >= 0;
	return kept;
}

bool run_index_has(struct run_index *index, const char *name)
{
	struct index_wanted w = find_wanted(index, name);

	return is_kept(&w) || w.of_files || w.in_file;
}

static int prepare_rows(struct run_index *index, bool early)
{
	struct buf sql = { 0 };

	sqlite3_finalize(index->rows);
	sqlite3_finalize(index->row);
	index->rows = index->row = NULL;
	buf_add_text(&sql, ROW);
	buf_add_text(&sql, index->want_fields ? ", f.bytes" : ", NULL");
	for (size_t i = 0; early && i < index->n_wanted; i++)
		if (index->wanted[i].column >= 0)
			buf_addf(&sql, ", r.f_%s", index->wanted[i].name);
	buf_add_text(&sql, " FROM runs r");
	if (index->want_fields)
		buf_add_text(&sql, " LEFT JOIN fields f ON f.id = r.id");
	if (!sql.failed)
		index->rows = index_prepare(index, sql.data);
	buf_add_text(&sql, " WHERE r.id = ?");
	if (!sql.failed)
		index->row = index_prepare(index, sql.data);
	buf_done(&sql);
	return index->rows && index->row ? 0 : -EIO;
}

static int want(struct run_index *index, const char *const *names, size_t n, bool early)
{
	struct index_wanted *wanted = calloc(n + 1, sizeof(*wanted));
	int column = ROW_FIELDS + 1;

	if (!wanted)
		return -ENOMEM;
	free(index->wanted);
	index->wanted = wanted;
	index->n_wanted = n;
	index->want_fields = false;
	for (size_t i = 0; i < n; i++) {
		wanted[i] = find_wanted(index, names[i]);
		if (early && !wanted[i].of_files && column_of(wanted[i].name) >= 0)
			wanted[i].column = column++;
		else if (is_kept(&wanted[i]))
			index->want_fields = true;
	}
	return prepare_rows(index, early);
}

int run_index_want(struct run_index *index, const char *const *names, size_t n)
{
	return want(index, names, n, true);
}

int run_index_want_shown(struct run_index *index, const char *const *names, size_t n)
{
	return want(index, names, n, false);
}

static void leave_turn(struct run_index *index)
{
	if (index->is_open)
		stored_run_done(&index->opened);
	index->is_open = false;
}

static bool is_dropped(const struct run_index *index, int64_t id)
{
	return id >= 0 && id < index->n_dropped && (index->dropped[id / 8] & (1u << (id % 8)));
}

/* What is in the bytes is trusted only with its sum. */
static bool is_whole(struct run_index *index, sqlite3_stmt *s)
{
	const unsigned char *bytes;
	size_t n;
	uint64_t sum;
	int64_t dir = sqlite3_column_int64(s, ROW_DIR);

	if (dir < 0 || dir >= index->n_dirs || !sqlite3_column_text(s, ROW_FILE))
		return false;
	if (!index->want_fields)
		return true;
	bytes = sqlite3_column_blob(s, ROW_FIELDS);
	n = (size_t) sqlite3_column_bytes(s, ROW_FIELDS);
	if (!bytes || n < sizeof(sum))
		return false;
	memcpy(&sum, bytes, sizeof(sum));
	return sum == index_sum(bytes + sizeof(sum), n - sizeof(sum));
}

static int damaged(struct run_index *index)
{
	index->damaged = index->failed = true;
	return -EIO;
}

int run_index_kept(struct run_index *index, int (*each)(int64_t id, void *context), void *context)
{
	int code = SQLITE_ERROR;
	int r = 0;

	index->turn = index->rows;
	sqlite3_reset(index->rows);
	while (r >= 0 && (code = sqlite3_step(index->rows)) == SQLITE_ROW) {
		int64_t id = sqlite3_column_int64(index->rows, ROW_ID);

		if (is_dropped(index, id))
			continue;
		if (!is_whole(index, index->rows)) {
			r = damaged(index);
			break;
		}
		r = each(id, context);
		leave_turn(index);
	}
	/* nothing is to be open when what changed is written */
	sqlite3_reset(index->rows);
	if (r < 0)
		return r;
	return code == SQLITE_DONE ? 0 : damaged(index);
}

bool run_index_is_as_stored(const struct run_index *index)
{
	return index->n_dropped == 0;
}

static const char *full_path(struct run_index *index, uint32_t dir, const char *name)
{
	size_t n = strlen(index->root);
	const char *slash = n > 0 && index->root[n - 1] == '/' ? "" : "/";
	char *inner = strdup(index_dir_path(index, dir));

	buf_clear(&index->path);
	if (!inner)
		index->path.failed = true;
	else if (dir == 0)
		buf_addf(&index->path, "%s%s%s", index->root, slash, name ? name : "");
	else
		buf_addf(&index->path, "%s%s%s%s%s", index->root, slash, inner, name ? "/" : "",
			name ? name : "");
	free(inner);
	return index->path.failed ? NULL : index->path.data;
}

const char *run_index_file(struct run_index *index)
{
	return full_path(index, (uint32_t) sqlite3_column_int64(index->turn, ROW_DIR),
		(const char *) sqlite3_column_text(index->turn, ROW_FILE));
}

/* A small transaction of its own, as nothing else is to be written now. */
static void make_loose(struct run_index *index, int64_t id)
{
	char *sql = NULL;

	if (!index->writing && index_begin_writing(index) < 0)
		return;
	if (asprintf(&sql,
		    "INSERT INTO loose SELECT dir, file FROM runs WHERE id = %lld; "
		    "DELETE FROM runs WHERE id = %lld; DELETE FROM fields WHERE id = %lld;",
		    (long long) id, (long long) id, (long long) id) < 0 ||
		index_run_sql(index, sql) < 0)
		index->failed = true;
	free(sql);
}

int run_index_seek(struct run_index *index, int64_t id)
{
	const char *path;
	struct stat st;

	leave_turn(index);
	index->turn = index->row;
	sqlite3_reset(index->row);
	if (sqlite3_bind_int64(index->row, 1, id) != SQLITE_OK ||
		sqlite3_step(index->row) != SQLITE_ROW || !is_whole(index, index->row))
		return damaged(index);
	path = run_index_file(index);
	if (!path)
		return -ENOMEM;
	if (stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
		sqlite3_column_int64(index->row, ROW_SIZE) == st.st_size &&
		sqlite3_column_int64(index->row, ROW_MODIFIED) == index_ns(&st.st_mtim) &&
		sqlite3_column_int64(index->row, ROW_CHANGED) == index_ns(&st.st_ctim) &&
		sqlite3_column_int64(index->row, ROW_INODE) == (int64_t) st.st_ino)
		return 0;
	sqlite3_reset(index->row);
	make_loose(index, id);
	return -ENOENT;
}

static struct field column_field(sqlite3_stmt *s, int column)
{
	struct field field = { 0 };

	switch (sqlite3_column_type(s, column)) {
	case SQLITE_INTEGER:
		field.type = FIELD_INTEGER;
		field.integer = sqlite3_column_int64(s, column);
		field.number = (double) field.integer;
		break;
	case SQLITE_FLOAT:
		field.type = FIELD_REAL;
		field.number = sqlite3_column_double(s, column);
		break;
	case SQLITE_TEXT:
		field.type = FIELD_TEXT;
		field.text = (const char *) sqlite3_column_text(s, column);
		field.n = (size_t) sqlite3_column_bytes(s, column);
		break;
	default:
		break;
	}
	return field;
}

/* What follows from where its files are. */
static struct field files_field(struct run_index *index, const char *name)
{
	const char *file = run_index_file(index);
	char *copy = file ? strdup(file) : NULL;
	char *prefix = copy ? run_name_prefix(copy) : NULL;
	char *series = NULL;
	struct field field = { 0 };

	if (prefix && asprintf(&series, "%s" RUN_NAME_USAGE, prefix) >= 0) {
		struct stored_run run = { .file = copy,
			.prefix = prefix,
			.series = access(series, F_OK) == 0 ? series : NULL };

		field = run_field(&run, name);
		/* a text is of what is freed here; one that a field owns would be a list */
		if (field.type == FIELD_TEXT) {
			free(index->text);
			index->text = strdup(field.text);
			if (index->text)
				field.text = index->text;
			else
				field = (struct field){ 0 };
		}
	}
	free(series);
	free(prefix);
	free(copy);
	return field;
}

/* What only the info file has. */
static struct field file_field(struct run_index *index, const char *name)
{
	const char *file = run_index_file(index);

	if (!index->is_open)
		index->is_open = file && stored_run_open(file, &index->opened, NULL) == 0;
	return index->is_open ? run_field(&index->opened, name) : (struct field){ 0 };
}

static struct field kept_field(struct run_index *index, int64_t number)
{
	const unsigned char *bytes = sqlite3_column_blob(index->turn, ROW_FIELDS);

	/* Before the fields stands their sum. */
	return index_decode(bytes + sizeof(uint64_t),
		(size_t) sqlite3_column_bytes(index->turn, ROW_FIELDS) - sizeof(uint64_t), number);
}

struct field run_index_value(struct run_index *index, size_t wanted)
{
	const struct index_wanted *w = &index->wanted[wanted];
	struct field field = { 0 };

	if (w->of_files)
		return files_field(index, w->name);
	if (w->column >= 0)
		return column_field(index->turn, w->column);
	if (w->number >= 0)
		field = kept_field(index, w->number);
	for (size_t i = 0; field.type == FIELD_ABSENT && i < FIELD_SAME_MAX; i++)
		if (w->same[i] >= 0)
			field = kept_field(index, w->same[i]);
	if (field.type == FIELD_ABSENT && w->in_file)
		field = file_field(index, w->name);
	return field;
}

int run_index_changed(struct run_index *index,
	int (*each)(const char *path, int code, void *context), void *context)
{
	int r = 0;

	if (index->writing && !index->insert_loose)
		index->insert_loose = index_prepare(index, "INSERT INTO loose VALUES (?, ?)");
	for (size_t i = 0; r >= 0 && i < index->n_files; i++) {
		const struct index_file *file = &index->files[i];
		sqlite3_stmt *s = index->insert_loose;
		char *path;

		index->reading = file;
		index->stored = false;
		path = full_path(index, file->dir, file->name) ? strdup(index->path.data) : NULL;
		r = path ? each(path, file->code, context) : -ENOMEM;
		free(path);
		if (!index->writing || index->stored || file->loose || !file->name)
			continue;
		sqlite3_reset(s);
		if (!s || sqlite3_bind_int64(s, 1, file->dir) != SQLITE_OK ||
			sqlite3_bind_text(s, 2, file->name, -1, SQLITE_STATIC) != SQLITE_OK ||
			sqlite3_step(s) != SQLITE_DONE)
			index->failed = true;
	}
	index->reading = NULL;
	/* what was not gone through is not known */
	index->failed = index->failed || r < 0;
	return r < 0 ? r : 0;
}

static int bind_field(sqlite3_stmt *s, int at, const struct field *field)
{
	switch (field->type) {
	case FIELD_INTEGER:
	case FIELD_BOOL:
		return sqlite3_bind_int64(s, at, field->integer);
	case FIELD_REAL:
		return sqlite3_bind_double(s, at, field->number);
	case FIELD_TEXT:
		return sqlite3_bind_text64(
			s, at, field->text, field->n, SQLITE_TRANSIENT, SQLITE_UTF8);
	default:
		return sqlite3_bind_null(s, at);
	}
}

static int prepare_inserts(struct run_index *index)
{
	struct buf sql = { 0 };

	buf_add_text(&sql, "INSERT INTO runs VALUES (NULL, ?, ?, ?, ?, ?, ?, ?");
	for (size_t i = 0; i < n_index_columns; i++)
		buf_add_text(&sql, ", ?");
	buf_add_char(&sql, ')');
	if (!sql.failed)
		index->insert_run = index_prepare(index, sql.data);
	index->insert_fields = index_prepare(index, "INSERT INTO fields VALUES (?, ?)");
	buf_done(&sql);
	return index->insert_run && index->insert_fields ? 0 : -EIO;
}

static int insert_run(struct run_index *index, const struct stored_run *run)
{
	const struct index_file *file = index->reading;
	sqlite3_stmt *s = index->insert_run;
	int code = sqlite3_reset(s);

	code = code ? code : sqlite3_bind_int64(s, 1, file->dir);
	code = code ? code : sqlite3_bind_text(s, 2, file->name, -1, SQLITE_STATIC);
	code = code ? code : sqlite3_bind_int64(s, 3, file->st.st_size);
	code = code ? code : sqlite3_bind_int64(s, 4, index_ns(&file->st.st_mtim));
	code = code ? code : sqlite3_bind_int64(s, 5, index_ns(&file->st.st_ctim));
	code = code ? code : sqlite3_bind_int64(s, 6, (int64_t) file->st.st_ino);
	code = code ? code : sqlite3_bind_int(s, 7, strcmp(run->format, "assay") != 0);
	for (size_t i = 0; code == SQLITE_OK && i < n_index_columns; i++) {
		struct field field = run_field(run, index_columns[i]);

		code = bind_field(s, 8 + (int) i, &field);
		field_done(&field);
	}
	return code == SQLITE_OK && sqlite3_step(s) == SQLITE_DONE ? 0 : -EIO;
}

static int insert_fields(struct run_index *index)
{
	sqlite3_stmt *s = index->insert_fields;
	int code = sqlite3_reset(s);

	code = code ? code : sqlite3_bind_int64(s, 1, sqlite3_last_insert_rowid(index->db));
	code = code ? code
		    : sqlite3_bind_blob64(s, 2, index->bytes.data, index->bytes.len, SQLITE_STATIC);
	return code == SQLITE_OK && sqlite3_step(s) == SQLITE_DONE ? 0 : -EIO;
}

void run_index_store(struct run_index *index, const struct stored_run *run)
{
	const struct index_file *file = index->reading;

	if (!index->writing || index->failed || !file || file->loose || file->link || file->code ||
		run->state != STORED_DONE)
		return;
	if ((!index->insert_run && prepare_inserts(index) < 0) ||
		index_encode(index, run, &index->bytes) < 0 || insert_run(index, run) < 0 ||
		insert_fields(index) < 0)
		index->failed = true;
	index->stored = true;
}

void run_index_names(
	const struct run_index *index, void (*each)(const char *name, void *context), void *context)
{
	for (size_t i = 0; i < index->n_names; i++)
		each(index->names[i], context);
}
