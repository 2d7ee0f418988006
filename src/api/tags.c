/* SPDX-License-Identifier: MIT */
/* Judges and copies the tags of a run. */
#include "api/tags.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/run_info.h"

/* What a shell, a query and a file name all take as they are. */
#define KEY_BYTES "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._:/-"

int tags_check(const char *const *tags, struct error *err)
{
	for (; tags && *tags; tags++) {
		size_t n = strspn(*tags, KEY_BYTES);

		if (n == 0 || (*tags)[n] != '=')
			return error_say(err, -EINVAL,
				"the tag '%.60s' is not KEY=VALUE, KEY of letters, digits, ._:/-",
				*tags);
	}
	return 0;
}

static bool same_key(const char *a, const char *b)
{
	size_t n = strcspn(a, "=");

	return strncmp(a, b, n + 1) == 0;
}

static void add(struct assay_run_info *info, const char *tag)
{
	char *copy = strdup(tag);

	if (!copy)
		return;
	for (size_t i = 0; i < info->n_tags; i++) {
		if (same_key(info->tags[i], tag)) {
			free(info->tags[i]);
			info->tags[i] = copy;
			return;
		}
	}
	info->tags[info->n_tags++] = copy;
}

void tags_copy(struct assay_run_info *info, const char *const *tags)
{
	size_t n = 0;

	while (tags && tags[n])
		n++;
	info->n_tags = 0;
	info->tags = n > 0 ? calloc(n, sizeof(*info->tags)) : NULL;
	for (size_t i = 0; info->tags && i < n; i++)
		add(info, tags[i]);
}
