/* SPDX-License-Identifier: MIT */
/* Feeds bytes to the words that name a target and to the parsers that say what they mean: containers, Slurm's names, cgroups, owners. */
#include "feed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "linux/cgroup_lines.h"
#include "linux/containers.h"
#include "linux/proc_owner.h"
#include "linux/slurm_names.h"
#include "target/target.h"

/* It becomes a part of a file's name. */
static void must_be_plain(const char *text)
{
	for (; *text; text++)
		must((unsigned char) *text > 0x20 && (unsigned char) *text < 0x7f && *text != '/');
}

/* What was taken is written so that it is taken again, and means the same. */
static void feed_words(const char *text, size_t n)
{
	char *words = strndup(text, n);
	struct target t, again;
	struct error err = { 0 };

	must(words != NULL);
	int r = target_parse(words, &t, &err);
	free(words);
	if (r < 0) {
		must(r == -EINVAL && err.code == r && err.text[0]);
		return;
	}
	must(t.n_terms >= 1 && t.n_terms <= TARGET_TERMS_MAX);
	must_be_plain(t.file_word);
	must(t.file_word[0] != '.' && !strchr(t.file_word, '/'));
	for (size_t i = 0; i < t.n_terms; i++)
		if (t.terms[i].has_regex)
			(void) regexec(&t.terms[i].regex, t.text, 0, NULL, 0);
	must(target_parse(t.text, &again, NULL) == 0);
	must(strcmp(t.text, again.text) == 0 && t.n_terms == again.n_terms);
	target_done(&again);
	target_done(&t);
}

static void feed_containers(const char *text, size_t n)
{
	struct container c = { 0 };
	int r = container_in_docker(text, n, "web", &c);

	must(r == 0 || r == -ENOENT || r == -EINVAL);
	must(r != 0 || container_is_id(c.id));
	r = container_in_podman(text, n, "web", &c);
	must(r == 0 || r == -ENOENT || r == -EINVAL);
	must(r != 0 || container_is_id(c.id));
	r = container_in_apptainer(text, n, "web", &c);
	must(r == 0 || r == -ENOENT || r == -EINVAL);
	must(r != 0 || c.pid > 0);
}

/* What is behind the end of a text that was taken is blank, or the whole is none. */
static void feed_ends(const char *text, size_t n)
{
	struct container c;
	char *longer = malloc(n + 1);
	int r = container_in_docker(text, n, "web", &c);

	must(longer != NULL);
	memcpy(longer, text, n);
	if (r == 0 || r == -ENOENT) {
		longer[n] = '\n';
		must(container_in_docker(longer, n + 1, "web", &c) == r);
		longer[n] = '}';
		must(container_in_docker(longer, n + 1, "web", &c) == -EINVAL);
	}
	free(longer);
}

static void feed_cgroups(const char *text, size_t n)
{
	char *lines = strndup(text, n), id[CONTAINER_ID_SIZE];
	struct cgroup_line line;
	struct slurm_place place;
	size_t n_id;

	must(lines != NULL);
	for (const char *at = lines; cgroup_line_next(&at, &line);) {
		must(line.n_path > 0 && line.path[0] == '/');
		if (slurm_place_in_path(line.path, line.n_path, &place))
			must(place.job > 0 && place.n_job <= line.n_path &&
				(place.n_step > place.n_job) == (place.step[0] != '\0'));
		if (container_in_path(line.path, line.n_path, "0123456789ab", &n_id, id))
			must(n_id <= line.n_path && container_is_id(id));
		must(cgroup_path_is_below(line.path, line.n_path, "/a") ==
			(line.n_path >= 2 && memcmp(line.path, "/a", 2) == 0 &&
				(line.n_path == 2 || line.path[2] == '/')));
	}
	if (slurm_place_in_cgroups(lines, &place))
		must(place.job > 0);
	free(lines);
}

/* In one piece and in pieces it says the same. */
static void feed_environ(const char *text, size_t n)
{
	struct slurm_environ whole = { 0 }, pieces = { 0 };

	slurm_environ_add(&whole, text, n);
	for (size_t i = 0; i < n; i++)
		slurm_environ_add(&pieces, text + i, 1);
	must(whole.place.job == pieces.place.job && whole.place.job <= SLURM_ID_MAX);
	must(strcmp(whole.place.step, pieces.place.step) == 0);
}

static void feed_owner(const char *text, size_t n)
{
	struct proc_owner owner;
	int r = proc_owner_parse(text, n, &owner);

	must(r == 0 ? owner.tgid > 0 : r == -EINVAL);
}

FEED_TO_ONE_OF(feed_words, feed_containers, feed_ends, feed_cgroups, feed_environ, feed_owner)
