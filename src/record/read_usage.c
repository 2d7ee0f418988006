/* SPDX-License-Identifier: MIT */
/* Finds the last whole line of usage.jsonl and what it says, by jansson. */
#include "record/read_usage.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/macros.h"
#include "model/measure.h"
#include "model/run_info.h"
#include "model/segment.h"
#include "record/json_members.h"

/* The longest line that is written is a quarter of it (PENDING_MAX), and what is torn may be as long. */
#define TAIL_MAX ((size_t) 2 * 1024 * 1024)
/* How many lines that are none are passed over. */
#define TRIES 256

/* Counters that begin at a joining, and the headline that each is. */
static const struct {
	const char *key, *headline;
	int digits; /* 0: a whole number */
} counters[] = {
	{ "target_elapsed_seconds", "wall_seconds", 9 },
	{ "target_cpu_seconds", "cpu_seconds", 9 },
	{ "target_cpu_user_seconds", "cpu_user_seconds", 9 },
	{ "target_cpu_system_seconds", "cpu_system_seconds", 9 },
	{ "target_io_read_bytes", "io_read_bytes", 0 },
	{ "target_io_write_bytes", "io_write_bytes", 0 },
	{ "target_io_read_syscall_bytes", "io_read_syscall_bytes", 0 },
	{ "target_io_write_syscall_bytes", "io_write_syscall_bytes", 0 },
	{ "target_processes_seen_count", "processes", 0 },
};

static void read_counter(struct members *m, const json_t *values, size_t i, struct segment *s)
{
	json_t *of = member_object(m, values, counters[i].key);
	struct segment_value *v;

	if (!json_object_get(of, "last"))
		return;
	v = segment_value(s, counters[i].headline, true);
	if (!v)
		return;
	v->n = counters[i].digits ? member_seconds(m, of, "last") : member_count(m, of, "last");
	v->quality = LOWER_BOUND;
	segment_unit(v->name, &v->unit);
	memcpy(v->key, counters[i].key, strlen(counters[i].key) + 1);
}

static void read_line(struct members *m, const json_t *top, struct last_window *w)
{
	const char *schema = member_text(m, top, "schema");
	json_t *values = member_object(m, top, "values");

	if (!schema || strcmp(schema, USAGE_SCHEMA) != 0 || !json_object_get(top, "sequence") ||
		!json_object_get(top, "end_seconds"))
		members_fail(m, "schema", "is another");
	w->sequence = member_count(m, top, "sequence");
	w->end_ns = member_seconds(m, top, "end_seconds");
	w->realtime_ns = member_time(m, top, "time");
	w->segment = json_object_get(top, "segment") ? member_count(m, top, "segment") : 1;
	w->values = calloc(1, sizeof(*w->values));
	for (size_t i = 0; w->values && i < ARRAY_SIZE(counters); i++)
		read_counter(m, values, i, w->values);
}

bool read_window(const char *line, size_t n, struct last_window *ret)
{
	struct members m = { 0, NULL };
	struct last_window w = { .found = true };
	json_t *top = members_load(&m, line, n);

	if (top)
		read_line(&m, top, &w);
	json_decref(top);
	if (m.code < 0) {
		last_window_done(&w);
		return false;
	}
	*ret = w;
	return true;
}

void last_window_done(struct last_window *w)
{
	if (w->values)
		segment_done(w->values);
	free(w->values);
	*w = (struct last_window){ 0 };
}

static int read_tail(int fd, char *tail, size_t size, size_t *ret_n)
{
	struct stat st;
	size_t n = 0;

	if (fstat(fd, &st) < 0)
		return -errno;
	off_t from = st.st_size > (off_t) size ? st.st_size - (off_t) size : 0;
	while (n < size) {
		ssize_t got = pread(fd, tail + n, size - n, from + (off_t) n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			break;
		n += (size_t) got;
	}
	*ret_n = n;
	return 0;
}

/* The last line feed before `end`, or NULL. */
static const char *line_end_before(const char *begin, const char *end)
{
	return end > begin ? memrchr(begin, '\n', (size_t) (end - begin)) : NULL;
}

/* A file that grew before a crash and was not filled ends with zeros. */
static bool is_foreign(const char *text, size_t n)
{
	static const char head[] = "{\"schema\"";
	size_t n_head = n < sizeof(head) - 1 ? n : sizeof(head) - 1;

	return n > 0 && text[0] != '\0' && memcmp(text, head, n_head) != 0;
}

static void search(const char *tail, size_t n, struct last_window *ret)
{
	const char *end = line_end_before(tail, tail + n);
	const char *behind = end ? end + 1 : tail;
	size_t torn = n - (size_t) (behind - tail);
	struct last_window half = { 0 };
	bool whole = torn > 0 && read_window(behind, torn, &half);

	if (whole)
		*ret = half;
	for (int i = 0; !ret->found && end && i < TRIES; i++) {
		const char *before = line_end_before(tail, end);
		const char *begin = before ? before + 1 : tail;

		(void) read_window(begin, (size_t) (end - begin), ret);
		end = before;
	}
	ret->torn = torn;
	ret->torn_is_whole = whole;
	ret->torn_is_foreign = !whole && is_foreign(behind, torn);
}

int read_last_window(int fd, struct last_window *ret)
{
	char *tail = malloc(TAIL_MAX);
	size_t n = 0;
	int r = tail ? read_tail(fd, tail, TAIL_MAX, &n) : -ENOMEM;

	*ret = (struct last_window){ 0 };
	if (r == 0)
		search(tail, n, ret);
	if (r == 0 && ret->torn == TAIL_MAX)
		r = -EFBIG;
	free(tail);
	return r;
}
