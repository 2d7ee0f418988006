/* SPDX-License-Identifier: MIT */
/* Finds containers by the id in the path of a cgroup, and by name in the text of the files their engines keep. */
#include "linux/containers.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "linux/cgroup_lines.h"
#include "linux/json_walk.h"
#include "linux/scan.h"

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

/* What is said of one container, in an object at `depth`. */
struct card {
	unsigned depth;
	const char *id_key, *name_key;
	bool named; /* the name wanted is one of its names */
	bool has_id, has_pid;
	char id[CONTAINER_ID_SIZE];
	pid_t pid;
};

static void take_value(struct card *c, const struct json_walk *w, const char *key, const char *name)
{
	const char *text = w->text;
	const char *at = text;
	const char *end = text + strlen(text);
	int pid;

	if (w->cut)
		return;
	if (strcmp(key, c->name_key) == 0)
		/* docker writes "/web" */
		c->named = c->named || strcmp(text + (text[0] == '/'), name) == 0;
	else if (strcmp(key, c->id_key) == 0 && container_is_id(text)) {
		c->has_id = true;
		memcpy(c->id, text, strlen(text) + 1);
	} else if (strcmp(key, "pid") == 0 && scan_int(&at, end, &pid) && at == end && pid > 0) {
		c->has_pid = true;
		c->pid = pid;
	}
}

/* Goes through the text; *ret is the card of the container, when there is one that is complete. `card` says where to look and for what. */
static int find_card(const char *text, size_t n, const char *name, struct card *card)
{
	const struct card empty = *card;
	struct card found = empty;
	struct json_walk w;
	char key[JSON_WALK_TEXT] = "";
	int token;
	bool any = false;

	json_walk_begin(&w, text, n);
	while ((token = json_walk_next(&w)) != JSON_END) {
		if (token < 0)
			return token;
		/* podman's names are a list: one below */
		bool list = w.depth == card->depth + 1 && !(w.objects >> card->depth & 1) &&
			    strcmp(key, "names") == 0;

		if (token == JSON_OPEN && w.depth == card->depth)
			*card = empty;
		else if (token == JSON_KEY && w.depth == card->depth)
			memcpy(key, w.text, sizeof(key));
		else if ((token == JSON_STRING || token == JSON_NUMBER) &&
			 (w.depth == card->depth || list))
			take_value(card, &w, key, name);
		else if (token == JSON_CLOSE && w.depth + 1 == card->depth && card->named && !any) {
			found = *card;
			any = true;
		}
	}
	*card = found;
	return any ? 0 : -ENOENT;
}

static int by_id(struct card card, const char *text, size_t n, const char *name, const char *engine,
	struct container *ret)
{
	int r = find_card(text, n, name, &card);

	if (r < 0)
		return r;
	if (!card.has_id)
		return -EINVAL;
	*ret = (struct container){ .engine = engine };
	memcpy(ret->id, card.id, sizeof(card.id));
	return 0;
}

int container_in_docker(const char *text, size_t n, const char *name, struct container *ret)
{
	return by_id((struct card){ .depth = 1, .id_key = "ID", .name_key = "Name" }, text, n, name,
		"docker", ret);
}

int container_in_podman(const char *text, size_t n, const char *name, struct container *ret)
{
	return by_id((struct card){ .depth = 2, .id_key = "id", .name_key = "names" }, text, n,
		name, "podman", ret);
}

int container_in_apptainer(const char *text, size_t n, const char *name, struct container *ret)
{
	struct card card = { .depth = 1, .id_key = "", .name_key = "name" };
	int r = find_card(text, n, name, &card);

	if (r < 0)
		return r;
	if (!card.has_pid)
		return -EINVAL;
	*ret = (struct container){ .engine = "apptainer", .pid = card.pid };
	return 0;
}
