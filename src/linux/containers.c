/* SPDX-License-Identifier: MIT */
/* Finds containers by the id in the path of a cgroup, and by name in the text of the files their engines keep. */
#include "linux/containers.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "linux/cgroup_lines.h"

#define STATE_VALUES_MAX 250000
#define HEX "0123456789abcdef"

bool container_is_id(const char *word)
{
	size_t n = strlen(word);

	return n >= CONTAINER_SHORT_ID && n < CONTAINER_ID_SIZE && strspn(word, HEX) == n;
}

bool container_is_name(const char *word)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
	char all[sizeof(letters) + 3];

	(void) snprintf(all, sizeof(all), "%s_.-", letters);
	return word[0] && strchr(letters, word[0]) && word[strspn(word, all)] == '\0';
}

struct id_walk {
	const char *id;
	size_t n_found;
	char *found;
};

/* "docker-ID.scope", "ID", "crio-ID": the last 64 digits of the name. */
static bool each_name(const char *name, size_t n, size_t n_until, void *context)
{
	static const char scope[] = ".scope";
	static const char monitor[] = "conmon-";
	struct id_walk *w = context;
	const size_t whole = CONTAINER_ID_SIZE - 1;

	if (n > strlen(scope) && memcmp(name + n - strlen(scope), scope, strlen(scope)) == 0)
		n -= strlen(scope);
	if (n < whole)
		return true;
	const char *id = name + n - whole;

	/* A colon: where systemd was to make the cgroup and runc made it, "system.slice:docker:ID". */
	if (n > whole && id[-1] != '-' && id[-1] != ':')
		return true;
	if (memcmp(id, w->id, strlen(w->id)) != 0 || memmem(name, n, monitor, strlen(monitor)))
		return true;
	for (size_t i = 0; i < whole; i++)
		if (!id[i] || !strchr(HEX, id[i]))
			return true;
	memcpy(w->found, id, whole);
	w->found[whole] = '\0';
	w->n_found = n_until;
	return false;
}

bool container_in_path(
	const char *path, size_t n, const char *id, size_t *ret_n, char ret_id[CONTAINER_ID_SIZE])
{
	char found[CONTAINER_ID_SIZE];
	struct id_walk w = { .id = id, .found = found };

	if (strlen(id) >= CONTAINER_ID_SIZE)
		return false;
	cgroup_names_each(path, n, each_name, &w);
	if (w.n_found == 0)
		return false;
	memcpy(ret_id, found, sizeof(found));
	*ret_n = w.n_found;
	return true;
}

/* Each value stands behind one of these; in memory a value takes some hundred bytes at most, and no engine comes near so many. */
static bool is_too_much(const char *text, size_t n)
{
	size_t values = 0;

	for (size_t i = 0; i < n; i++)
		values += text[i] == '[' || text[i] == '{' || text[i] == ',' || text[i] == ':';
	return values > STATE_VALUES_MAX;
}

static int load(const char *text, size_t n, json_t **ret)
{
	json_error_t e;

	if (is_too_much(text, n))
		return -EINVAL;
	/* Real numbers: one beyond a long must not hide the container that the file is about. */
	*ret = json_loadb(
		text, n, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL, &e);
	if (*ret)
		return 0;
	return json_error_code(&e) == json_error_out_of_memory ? -ENOMEM : -EINVAL;
}

static bool is_called(const json_t *value, const char *name)
{
	const char *text = json_string_value(value);
	size_t n = json_string_length(value);

	/* docker writes "/web" */
	if (n > 0 && text[0] == '/') {
		text++;
		n--;
	}
	return text && n == strlen(name) && memcmp(text, name, n) == 0;
}

static bool is_called_also(const json_t *values, const char *name)
{
	const json_t *value;
	size_t i;

	json_array_foreach(values, i, value) if (is_called(value, name)) return true;
	return false;
}

static int take_id(const json_t *value, const char *engine, struct container *ret)
{
	const char *id = json_string_value(value);

	if (!id || json_string_length(value) != strlen(id) || !container_is_id(id))
		return -EINVAL;
	*ret = (struct container){ .engine = engine };
	memcpy(ret->id, id, strlen(id) + 1);
	return 0;
}

int container_in_docker(const char *text, size_t n, const char *name, struct container *ret)
{
	json_t *card;
	int r = load(text, n, &card);

	if (r < 0)
		return r;
	r = -ENOENT;
	if (is_called(json_object_get(card, "Name"), name))
		r = take_id(json_object_get(card, "ID"), "docker", ret);
	json_decref(card);
	return r;
}

int container_in_podman(const char *text, size_t n, const char *name, struct container *ret)
{
	const json_t *card;
	json_t *cards;
	size_t i;
	int r = load(text, n, &cards);

	if (r < 0)
		return r;
	r = -ENOENT;
	json_array_foreach(cards, i, card) if (is_called_also(json_object_get(card, "names"), name))
	{
		r = take_id(json_object_get(card, "id"), "podman", ret);
		break;
	}
	json_decref(cards);
	return r;
}

int container_in_apptainer(const char *text, size_t n, const char *name, struct container *ret)
{
	json_t *card;
	int r = load(text, n, &card);

	if (r < 0)
		return r;
	r = -ENOENT;
	if (is_called(json_object_get(card, "name"), name)) {
		double pid = json_real_value(json_object_get(card, "pid"));

		r = -EINVAL;
		if (pid >= 1 && pid <= INT_MAX && pid == (double) (pid_t) pid) {
			*ret = (struct container){ .engine = "apptainer", .pid = (pid_t) pid };
			r = 0;
		}
	}
	json_decref(card);
	return r;
}
