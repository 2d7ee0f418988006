/* SPDX-License-Identifier: MIT */
/* Knows a run again that is named several times: as the same file, or as a copy of its record. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "compare/compare.h"

char *compare_record_words(const json_t *info)
{
	const json_t *time = json_object_get(info, "time");
	const char *id = json_string_value(json_object_get(info, "id"));
	const char *started = json_string_value(json_object_get(time, "started"));
	const json_t *host = json_object_get(info, "host");
	const char *hostname = json_string_value(json_object_get(host, "hostname"));
	static const char *const further[] = { "target", "command", "name", "tags" };
	struct buf words = { 0 };

	if (!id || !started)
		return NULL;
	buf_addf(&words, "%s %s %s", id, started, hostname ? hostname : "");
	for (size_t i = 0; i < sizeof(further) / sizeof(further[0]); i++) {
		const json_t *member = json_object_get(info, further[i]);
		char *text = member ? json_dumps(member, JSON_SORT_KEYS | JSON_ENCODE_ANY) : NULL;

		buf_addf(&words, " %s", text ? text : "");
		free(text);
	}
	if (!words.failed)
		return words.data;
	buf_done(&words);
	return NULL;
}

static bool is_same(const struct compare_identity *x, const struct compare_identity *y)
{
	if (x->on_disk && y->on_disk && x->device == y->device && x->inode == y->inode)
		return x->which == y->which;
	return x->hash == y->hash && x->words && y->words && strcmp(x->words, y->words) == 0;
}

static void *larger(void *array, size_t n, size_t size)
{
	/* Powers of two: the array is full when n is one. */
	return n & (n - 1) ? array : realloc(array, (n ? 2 * n : 1) * size);
}

/* Its number from 0, or -1 when memory ran out. */
static int64_t number_of(struct compare *c, const struct stored_run *run)
{
	struct compare_identity identity = { .which = run->which,
		.words = run->importer ? NULL : compare_record_words(run->info) };
	struct compare_identity *all;
	struct stat st;

	if (identity.words)
		identity.hash = compare_hash(identity.words, strlen(identity.words));
	if (stat(run->file, &st) == 0) {
		identity.on_disk = true;
		identity.device = st.st_dev;
		identity.inode = st.st_ino;
	}
	for (size_t i = 0; i < c->n_identities; i++) {
		if (!is_same(&identity, &c->identities[i]))
			continue;
		free(identity.words);
		return (int64_t) i;
	}
	all = larger(c->identities, c->n_identities, sizeof(*all));
	if (!all) {
		free(identity.words);
		c->failed = true;
		return -1;
	}
	c->identities = all;
	all[c->n_identities] = identity;
	return (int64_t) c->n_identities++;
}

/* Keeps the first by its name, and counts all. */
static void count(struct compare *c, struct compare_again *again, const char *file)
{
	again->n++;
	if (!again->first && !(again->first = strdup(file)))
		c->failed = true;
}

uint32_t compare_identify(
	struct compare *c, size_t group, const struct stored_run *run, bool *ret_again)
{
	int64_t number = number_of(c, run);
	struct compare_identity *identity;
	size_t *groups;

	*ret_again = false;
	if (number < 0)
		return 0;
	identity = &c->identities[number];
	for (size_t i = 0; i < identity->n_groups && !*ret_again; i++)
		*ret_again = identity->groups[i] == group;
	if (*ret_again) {
		count(c, &c->repeated, run->file);
		return (uint32_t) number + 1;
	}
	if (identity->n_groups == 1)
		count(c, &c->shared, run->file);
	groups = larger(identity->groups, identity->n_groups, sizeof(*groups));
	if (!groups) {
		c->failed = true;
		return 0;
	}
	identity->groups = groups;
	groups[identity->n_groups++] = group;
	return (uint32_t) number + 1;
}

void compare_identities_done(struct compare *c)
{
	for (size_t i = 0; i < c->n_identities; i++) {
		free(c->identities[i].words);
		free(c->identities[i].groups);
	}
	free(c->identities);
	free(c->repeated.first);
	free(c->shared.first);
}
