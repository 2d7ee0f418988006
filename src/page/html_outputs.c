/* SPDX-License-Identifier: MIT */
/* The last lines of what the job wrote, where that was kept beside the record. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/macros.h"
#include "page/html_parts.h"
#include "show/show.h"
#include "text/html_text.h"

#define LINES_MAX 200
#define BYTES_MAX ((size_t) 24 * 1024) /* of each file */

/* The record may be somebody else's: what its name is a link to is none of ours to show, and a pipe is not waited for. */
static int open_output(const char *prefix, const char *name, struct stat *ret)
{
	struct buf path = { 0 };
	int fd = -1;

	buf_addf(&path, "%s%s", prefix, name);
	if (!path.failed)
		fd = open(path.data, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	buf_done(&path);
	if (fd >= 0 && (fstat(fd, ret) < 0 || !S_ISREG(ret->st_mode) || ret->st_size == 0)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Where the last lines begin; a line that began before the bytes is not told by its end. */
static size_t begin_of_last(const char *bytes, size_t n, bool cut)
{
	const char *first = cut ? memchr(bytes, '\n', n) : NULL;
	size_t begin = first ? (size_t) (first - bytes) + 1 : 0;
	size_t lines = 0;

	for (size_t i = n > 0 && bytes[n - 1] == '\n' ? n - 1 : n; i > begin; i--)
		if (bytes[i - 1] == '\n' && ++lines == LINES_MAX)
			return i;
	return begin;
}

static void add_output(struct buf *out, const char *name, int fd, const struct stat *st)
{
	size_t size = (size_t) st->st_size;
	size_t asked = size < BYTES_MAX ? size : BYTES_MAX;
	char *bytes = malloc(asked);
	ssize_t n = bytes ? pread(fd, bytes, asked, (off_t) (size - asked)) : -1;
	struct buf amount = { 0 };

	if (!bytes) {
		out->failed = true;
		return;
	}
	buf_addf(out, "<h3>%s</h3>\n", name);
	if (n < 0) {
		buf_add_text(out, "<p>It could not be read.</p>\n");
		free(bytes);
		return;
	}
	size_t begin = begin_of_last(bytes, (size_t) n, asked < size);
	show_add_number("bytes", (double) size, &amount);
	buf_addf(out, "<p class=\"soft\">%s%s</p>\n",
		begin > 0 || asked < size ? "The end of " : "All of its ",
		amount.failed ? "it" : amount.data);
	buf_addf(out, "<pre class=\"output\" tabindex=\"0\" role=\"region\" aria-label=\"%s\">\n",
		name);
	html_add_lines(out, bytes + begin, (size_t) n - begin);
	buf_add_text(out, "</pre>\n");
	out->failed = out->failed || amount.failed;
	buf_done(&amount);
	free(bytes);
}

void html_outputs(struct buf *out, const struct story *s)
{
	static const char *const names[] = { "stdout", "stderr" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct stat st;
		int fd = s->run->prefix ? open_output(s->run->prefix, names[i], &st) : -1;

		if (fd < 0)
			continue;
		add_output(out, names[i], fd, &st);
		close(fd);
	}
}
