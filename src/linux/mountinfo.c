/* SPDX-License-Identifier: MIT */
/* Takes lines of mountinfo apart. */
#include "linux/mountinfo.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "base/fd_read.h"
#include "base/macros.h"
#include "linux/roots.h"
#include "linux/scan.h"

/* A namespace has 100000 mounts at most unless fs.mount-max says more: some 30 MiB. A recorded tree may hold anything under the name. */
#define BYTES_MAX ((size_t) 64 << 20)

/* A field of mountinfo up to the next space; the kernel writes blanks and backslashes in it as \ooo. Decoded in place. */
static char *take_field(char **at)
{
	char *field = *at;
	char *to = field;

	for (char *from = field;; from++) {
		if (*from == ' ' || *from == '\0') {
			*at = *from ? from + 1 : from;
			break;
		}
		if (from[0] == '\\' && from[1] >= '0' && from[1] <= '3' && from[2] >= '0' &&
			from[2] <= '7' && from[3] >= '0' && from[3] <= '7') {
			*to++ = (char) ((from[1] - '0') << 6 | (from[2] - '0') << 3 |
					(from[3] - '0'));
			from += 3;
		} else {
			*to++ = *from;
		}
	}
	*to = '\0';
	return field;
}

static bool parse_device(const char *text, struct mountinfo *ret)
{
	const char *end = text + strlen(text);
	uint64_t major;
	uint64_t minor;

	if (!scan_u64(&text, end, &major) || !scan_char(&text, end, ':') ||
		!scan_u64(&text, end, &minor) || major > UINT32_MAX || minor > UINT32_MAX)
		return false;
	ret->device_major = (unsigned) major;
	ret->device_minor = (unsigned) minor;
	return true;
}

/* id parent major:minor root point options [optional...] - type source super-options */
static bool parse_line(char *line, struct mountinfo *ret)
{
	take_field(&line);
	take_field(&line);
	if (!parse_device(take_field(&line), ret))
		return false;
	ret->root = take_field(&line);
	ret->point = take_field(&line);
	for (;;) {
		const char *field = take_field(&line);
		if (field[0] == '\0')
			return false;
		if (strcmp(field, "-") == 0)
			break;
	}
	ret->type = take_field(&line);
	take_field(&line);
	ret->options = take_field(&line);
	return true;
}

int mountinfo_next(char **at, struct mountinfo *ret, bool *ret_is_mount)
{
	char *line = *at;
	char *end = strchr(line, '\n');

	if (!*line)
		return 0;
	if (!end) /* cut: that cannot be trusted */
		return -EINVAL;
	*end = '\0';
	*at = end + 1;
	*ret_is_mount = parse_line(line, ret);
	return 1;
}

int mountinfo_read(const struct roots *roots, char **ret)
{
	struct buf text = { 0 };
	AUTO_CLOSE int fd = root_file(roots->proc, "self/mountinfo");

	if (fd < 0)
		return fd;
	int r = fd_read_all(fd, BYTES_MAX, &text);
	if (r < 0 || !text.data) {
		buf_done(&text);
		return r < 0 ? r : -ENOENT;
	}
	*ret = text.data;
	return 0;
}
