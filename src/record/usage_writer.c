/* SPDX-License-Identifier: MIT */
/* Appends windows to usage.jsonl, one write(2) a line, and sees a full disk through. */
#include "record/usage_writer.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/fd_write.h"
#include "record/usage_json.h"

#define LINE_FIRST_SIZE 16384u

/* The end of the file holds the first `n` bytes of a line. Cuts them off and returns 0, or returns `n` when the file
 * system refuses (a file with the append-only attribute, say). The size is asked for, not remembered: someone may have
 * truncated the file meanwhile, and cutting at a remembered size would then fill it with NULs. */
static size_t cut_off(int fd, size_t n)
{
	struct stat st;

	if (n == 0)
		return 0;
	if (fstat(fd, &st) < 0)
		return n;
	if (st.st_size < (off_t) n)
		return 0; /* someone else cut more than that */
	return ftruncate(fd, st.st_size - (off_t) n) == 0 ? 0 : n;
}

static void forget_first_pending(struct usage_writer *w)
{
	const char *end = memchr(w->pending.data, '\n', w->pending.len);
	size_t length = end ? (size_t) (end - w->pending.data) + 1 : w->pending.len;

	w->pending.len -= length;
	memmove(w->pending.data, w->pending.data + length, w->pending.len);
	w->n_pending--;
	w->torn = 0;
}

/* Half a line that will never be completed: cut off at last, or ended, so that readers skip it and only it. */
static int clear_orphaned(struct usage_writer *w)
{
	int r = w->unended ? fd_write_all(w->fd, "\n", 1, NULL) : 0;

	if (r < 0)
		return r;
	w->unended = false;
	w->orphaned = cut_off(w->fd, w->orphaned);
	if (w->orphaned > 0)
		r = fd_write_all(w->fd, "\n", 1, NULL);
	if (r == 0)
		w->orphaned = 0;
	return r;
}

static int write_pending(struct usage_writer *w)
{
	int r = clear_orphaned(w);

	while (r == 0 && w->n_pending > 0) {
		const char *end = memchr(w->pending.data, '\n', w->pending.len);
		size_t length = (size_t) (end - w->pending.data) + 1;
		size_t done;

		r = fd_write_all(w->fd, w->pending.data + w->torn, length - w->torn, &done);
		if (r == 0) {
			w->written++;
			forget_first_pending(w);
		} else {
			w->torn = cut_off(w->fd, w->torn + done);
		}
	}
	return r;
}

static void drop_first_pending(struct usage_writer *w)
{
	if (w->torn > 0)
		w->orphaned = w->torn;
	forget_first_pending(w);
	w->dropped++;
}

/* Keeps the new line for the next window, `torn` bytes of it being in the file; the oldest make room for it. */
static void keep(struct usage_writer *w, size_t torn)
{
	if (w->line.len > PENDING_MAX) {
		w->orphaned = torn > 0 ? torn : w->orphaned;
		w->dropped++;
		return;
	}
	while (w->pending.len + w->line.len > PENDING_MAX)
		drop_first_pending(w);
	if (w->n_pending == 0)
		w->torn = torn;
	buf_add(&w->pending, w->line.data, w->line.len);
	w->n_pending++;
}

static int usage_write(struct sink *sink, const struct record *record, struct error *err)
{
	struct usage_writer *w = (struct usage_writer *) sink;
	size_t done = 0;
	int r;

	struct record placed = *record;

	placed.sequence += w->sequence_before;
	placed.before_ns = w->before_ns;
	placed.segment = w->segment;
	buf_clear(&w->line);
	usage_json_line(&placed, &w->line);
	if (w->line.failed) {
		w->dropped++;
		w->failures++;
		return error_set(err, -ENOMEM, "cannot make the line of a window");
	}

	r = write_pending(w);
	if (r == 0)
		r = fd_write_all(w->fd, w->line.data, w->line.len, &done);
	if (r == 0) {
		w->written++;
		return 0;
	}

	keep(w, cut_off(w->fd, done));
	w->failures++;
	return error_set(err, r, "cannot append to usage.jsonl");
}

int usage_writer_init(struct usage_writer *w, int fd)
{
	*w = (struct usage_writer){ .sink = { usage_write }, .fd = fd };
	if (buf_reserve(&w->line, LINE_FIRST_SIZE) && buf_reserve(&w->pending, PENDING_MAX))
		return 0;
	usage_writer_done(w);
	return -ENOMEM;
}

void usage_writer_mend(struct usage_writer *w, size_t torn, bool is_whole)
{
	if (is_whole)
		w->unended = true;
	else
		w->orphaned = torn;
}

void usage_writer_retry(struct usage_writer *w)
{
	if (w->n_pending > 0)
		(void) write_pending(w);
}

void usage_writer_done(struct usage_writer *w)
{
	buf_done(&w->line);
	buf_done(&w->pending);
}
