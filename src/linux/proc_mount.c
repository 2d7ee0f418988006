/* SPDX-License-Identifier: MIT */
/* Finds the options of the mount at /proc. */
#include "linux/proc_mount.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd_read.h"
#include "base/macros.h"
#include "linux/roots.h"

/* The next word of a line, up to a blank. Length 0 at the end. */
static size_t next_word(const char **at, const char *end, const char **ret)
{
	const char *stop = memchr(*at, ' ', (size_t) (end - *at));
	size_t n = (size_t) ((stop ? stop : end) - *at);

	*ret = *at;
	*at = stop ? stop + 1 : end;
	return n;
}

static bool is_word(const char *word, size_t n, const char *wanted)
{
	return n == strlen(wanted) && memcmp(word, wanted, n) == 0;
}

static void take_option(const char *options, size_t n, struct proc_mount *ret)
{
	static const char key[] = "hidepid=";
	const char *end = options + n;

	for (const char *at = options; at < end;) {
		const char *comma = memchr(at, ',', (size_t) (end - at));
		const char *stop = comma ? comma : end;
		size_t length = (size_t) (stop - at);

		if (length > strlen(key) && memcmp(at, key, strlen(key)) == 0) {
			length -= strlen(key);
			if (length >= sizeof(ret->hidepid))
				length = sizeof(ret->hidepid) - 1;
			memcpy(ret->hidepid, at + strlen(key), length);
			ret->hidepid[length] = '\0';
		}
		at = comma ? comma + 1 : end;
	}
}

/* proc(5): id parent major:minor root point options [optional...] - type source super-options. hidepid is one of the last, of the
 * file system as a whole. */
static bool parse_line(const char *line, const char *end, struct proc_mount *ret)
{
	const char *word;
	size_t n = 0;

	for (int field = 0; field < 5; field++)
		n = next_word(&line, end, &word);
	if (!is_word(word, n, "/proc"))
		return false;
	do
		n = next_word(&line, end, &word);
	while (n && !is_word(word, n, "-"));
	n = next_word(&line, end, &word);
	if (!is_word(word, n, "proc"))
		return false;
	next_word(&line, end, &word);
	n = next_word(&line, end, &word);
	*ret = (struct proc_mount){ .hides = false };
	take_option(word, n, ret);
	return true;
}

int proc_mount_parse(const char *text, size_t n, struct proc_mount *ret)
{
	static const char *const hiding[] = { "2", "4", "invisible", "ptraceable" };
	struct proc_mount found = { .hides = false };
	bool any = false;

	for (const char *line = text, *end = text + n; line < end;) {
		const char *newline = memchr(line, '\n', (size_t) (end - line));

		if (!newline)
			return -EINVAL;
		any = parse_line(line, newline, &found) || any;
		line = newline + 1;
	}
	if (!any)
		return -ENOENT;
	for (size_t i = 0; i < ARRAY_SIZE(hiding); i++)
		found.hides = found.hides || strcmp(found.hidepid, hiding[i]) == 0;
	*ret = found;
	return 0;
}

int proc_mount_read(const struct roots *roots, struct proc_mount *ret)
{
	struct buf text = { 0 };
	AUTO_CLOSE int fd = root_file(roots->proc, "self/mountinfo");

	if (fd < 0)
		return fd;
	int r = fd_read_all(fd, SIZE_MAX - 1, &text);
	if (r == 0)
		r = proc_mount_parse(text.data ? text.data : "", text.len, ret);
	buf_done(&text);
	return r;
}

bool proc_mount_hides_from_us(const struct roots *roots)
{
	return faccessat(roots->proc, "1/stat", F_OK, 0) < 0 && errno == ENOENT;
}
