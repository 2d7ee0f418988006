/* SPDX-License-Identifier: MIT */
/* Finds the options of the mount at /proc. */
#include "linux/proc_mount.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/macros.h"
#include "linux/mountinfo.h"
#include "linux/roots.h"

/* hidepid is one of the options of the file system as a whole. */
static void take_option(const char *options, struct proc_mount *ret)
{
	static const char key[] = "hidepid=";
	const char *end = options + strlen(options);

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

static int parse(char *text, struct proc_mount *ret)
{
	static const char *const hiding[] = { "2", "4", "invisible", "ptraceable" };
	struct proc_mount found = { .hides = false };
	struct mountinfo line;
	bool any = false, is_mount;
	int r;

	while ((r = mountinfo_next(&text, &line, &is_mount)) > 0) {
		if (!is_mount || strcmp(line.point, "/proc") != 0 || strcmp(line.type, "proc") != 0)
			continue;
		any = true;
		found = (struct proc_mount){ .hides = false };
		take_option(line.options, &found);
	}
	if (r < 0)
		return r;
	if (!any)
		return -ENOENT;
	for (size_t i = 0; i < ARRAY_SIZE(hiding); i++)
		found.hides = found.hides || strcmp(found.hidepid, hiding[i]) == 0;
	*ret = found;
	return 0;
}

int proc_mount_parse(const char *text, size_t n, struct proc_mount *ret)
{
	AUTO_FREE char *copy = strndup(text, n);

	return copy ? parse(copy, ret) : -ENOMEM;
}

int proc_mount_read(const struct roots *roots, struct proc_mount *ret)
{
	AUTO_FREE char *text = NULL;
	int r = mountinfo_read(roots, &text);

	return r < 0 ? r : parse(text, ret);
}

bool proc_mount_hides_from_us(const struct roots *roots)
{
	return faccessat(roots->proc, "1/stat", F_OK, 0) < 0 && errno == ENOENT;
}
