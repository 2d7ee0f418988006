/* SPDX-License-Identifier: MIT */
/* Reads and applies a list of what is to be drawn. */
#include "picture/picture_metrics.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "picture/picture_parts.h"
#include "text/nearest.h"

#define ITEMS_MAX 256
#define SEEN_MAX 4096 /* keys that are remembered to tell a misspelt one */

struct picture_item {
	char *text;
	bool minus;
	bool met; /* a panel is called so, or a run has such a key */
};

static bool is_panel(const char *glob)
{
	if (fnmatch(glob, "process_cpu", 0) == 0 || fnmatch(glob, "process_memory", 0) == 0)
		return true;
	for (size_t i = 0; i < n_picture_usual; i++)
		if (fnmatch(glob, picture_usual[i].panel, 0) == 0)
			return true;
	return false;
}

static int add_item(struct picture_metrics *m, const char *at, size_t n, struct error *err)
{
	struct picture_item *item = &m->items[m->n];

	while (n > 0 && *at == ' ') {
		at++;
		n--;
	}
	while (n > 0 && at[n - 1] == ' ')
		n--;
	item->minus = n > 0 && *at == '-';
	at += item->minus;
	n -= item->minus;
	if (n == 0)
		return error_say(err, -EINVAL, "a name is missing between commas");
	if (m->n + 1 >= ITEMS_MAX)
		return error_say(err, -EINVAL, "more than %d names", ITEMS_MAX - 1);
	item->text = strndup(at, n);
	if (!item->text)
		return error_set(err, -ENOMEM, "cannot read what is to be drawn");
	item->met = is_panel(item->text);
	m->n++;
	return 0;
}

int picture_metrics_read(const char *text, struct picture_metrics *ret, struct error *err)
{
	int r = 0;

	*ret = (struct picture_metrics){ 0 };
	if (!text)
		return 0;
	ret->items = calloc(ITEMS_MAX, sizeof(*ret->items));
	if (!ret->items)
		return error_set(err, -ENOMEM, "cannot read what is to be drawn");
	for (const char *at = text; r == 0; at++) {
		size_t n = strcspn(at, ",");

		r = add_item(ret, at, n, err);
		at += n;
		if (!*at)
			break;
	}
	if (r < 0)
		picture_metrics_done(ret);
	return r;
}

void picture_metrics_done(struct picture_metrics *m)
{
	for (size_t i = 0; i < m->n; i++)
		free(m->items[i].text);
	free(m->items);
	json_decref(m->seen);
	*m = (struct picture_metrics){ 0 };
}

static bool any_matches(const struct picture_metrics *m, const char *name, bool minus)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->items[i].minus == minus && fnmatch(m->items[i].text, name, 0) == 0)
			return true;
	return false;
}

bool picture_metrics_names(const struct picture_metrics *m, const char *panel)
{
	return any_matches(m, panel, false) && !any_matches(m, panel, true);
}

bool picture_metrics_panel(const struct picture_metrics *m, const char *panel)
{
	bool wanted = true;

	if (any_matches(m, panel, true))
		return false;
	for (size_t i = 0; i < m->n; i++)
		wanted = wanted && m->items[i].minus;
	return wanted || any_matches(m, panel, false);
}

bool picture_metrics_key(const struct picture_metrics *m, const char *key)
{
	return any_matches(m, key, false) && !any_matches(m, key, true);
}

bool picture_metrics_without(const struct picture_metrics *m, const char *key)
{
	return any_matches(m, key, true);
}

void picture_metrics_saw(struct picture_metrics *m, const char *key)
{
	for (size_t i = 0; i < m->n; i++)
		m->items[i].met = m->items[i].met || fnmatch(m->items[i].text, key, 0) == 0;
	if (m->n == 0 || json_object_size(m->seen) >= SEEN_MAX)
		return;
	if (!m->seen)
		m->seen = json_object();
	if (json_object_set_new(m->seen, key, json_true()) < 0)
		m->failed = true;
}

struct nearest {
	const char *written, *name;
	size_t distance;
};

static void look_at(struct nearest *n, const char *name)
{
	size_t distance = name_distance(n->written, name);

	if (!n->name || distance < n->distance) {
		n->name = name;
		n->distance = distance;
	}
}

static int say_unknown(const struct picture_metrics *m, const char *written, struct error *err)
{
	struct nearest nearest = { .written = written };
	const char *key;
	json_t *ignored;

	for (size_t i = 0; i < n_picture_usual; i++)
		look_at(&nearest, picture_usual[i].panel);
	look_at(&nearest, "process_cpu");
	look_at(&nearest, "process_memory");
	json_object_foreach(m->seen, key, ignored) look_at(&nearest, key);
	if (name_is_near(written, nearest.distance))
		return error_say(err, -ENOENT, "no run has a metric '%.80s'; did you mean '%s'?",
			written, nearest.name);
	return error_say(err, -ENOENT,
		"no run has a metric '%.80s'; there are panels (cpu, memory, io ...: man "
		"assay-plot) and keys ('assay measurements')",
		written);
}

int picture_metrics_check(const struct picture_metrics *m, struct error *err)
{
	if (m->failed)
		return error_set(err, -ENOMEM, "cannot draw");
	for (size_t i = 0; i < m->n; i++)
		if (!m->items[i].met)
			return say_unknown(m, m->items[i].text, err);
	return 0;
}
