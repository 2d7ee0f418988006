/* SPDX-License-Identifier: MIT */
/* Builds and takes apart what is known of a run. */
#include "model/run_info.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A run of months that complains all the time must not fill the memory. */
#define N_NOTES_MAX 256

void run_info_note(struct assay_run_info *info, const char *format, ...)
{
	char *text = NULL;
	va_list args;

	va_start(args, format);
	int len = vasprintf(&text, format, args);
	va_end(args);
	if (len < 0)
		return;

	bool known = false;
	for (size_t i = 0; i < info->n_notes; i++)
		known = known || strcmp(info->notes[i], text) == 0;
	char **notes = known || info->n_notes >= N_NOTES_MAX
			       ? NULL
			       : realloc(info->notes, (info->n_notes + 1) * sizeof(*notes));
	if (!notes) {
		free(text);
		return;
	}
	info->notes = notes;
	info->notes[info->n_notes++] = text;
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static void fact_done(struct fact *fact)
{
	free(fact->group);
	free(fact->key);
	free(fact->text);
	*fact = (struct fact){ 0 };
}

static struct fact *find_fact(
	const struct assay_run_info *info, const char *section, const char *group, const char *key)
{
	for (size_t i = 0; i < info->n_facts; i++) {
		struct fact *fact = &info->facts[i];
		if (same_text(fact->section, section) && same_text(fact->group, group) &&
			same_text(fact->key, key))
			return fact;
	}
	return NULL;
}

static void append_fact(struct assay_run_info *info, const char *section, const char *group,
	const char *key, const char *text, uint64_t number)
{
	struct fact *facts = realloc(info->facts, (info->n_facts + 1) * sizeof(*facts));

	if (!facts)
		return;
	info->facts = facts;
	struct fact *fact = &facts[info->n_facts];
	fact->section = section;
	fact->group = group ? strdup(group) : NULL;
	fact->key = strdup(key);
	fact->text = text ? strdup(text) : NULL;
	fact->number = number;
	if (fact->key && (fact->group || !group) && (fact->text || !text))
		info->n_facts++;
	else
		fact_done(fact);
}

/* A fact told twice keeps its place and takes the later value: a JSON object has each key once. */
void run_info_fact(struct assay_run_info *info, const char *section, const char *group,
	const char *key, const char *text, uint64_t number)
{
	struct fact *known = find_fact(info, section, group, key);

	if (!known) {
		append_fact(info, section, group, key, text, number);
		return;
	}
	char *copy = text ? strdup(text) : NULL;
	if (text && !copy)
		return;
	free(known->text);
	known->text = copy;
	known->number = number;
}

const struct headline *run_info_headline(const struct assay_run_info *info, const char *name)
{
	for (size_t i = 0; i < info->n_headline; i++)
		if (same_text(info->headline[i].name, name))
			return &info->headline[i];
	return NULL;
}

bool run_info_is_whole(const struct assay_run_info *info)
{
	return info->no_info ? info->records_lost == 0 : info->info_error[0] == '\0';
}

void run_info_survivor(struct assay_run_info *info, pid_t pid, const char *name)
{
	info->n_survivors_total++;
	if (info->n_survivors == N_SURVIVORS_MAX)
		return;
	struct survivor *survivor = &info->survivors[info->n_survivors++];
	survivor->pid = pid;
	snprintf(survivor->name, sizeof(survivor->name), "%.*s", (int) sizeof(survivor->name) - 1,
		name);
}

void run_info_no_record(struct assay_run_info *info, const char *why)
{
	size_t before = info->n_notes;

	snprintf(info->write_error, sizeof(info->write_error), "%.*s",
		(int) sizeof(info->write_error) - 1, why);
	run_info_note(info, "no record: %s", why);
	if (info->n_notes > before)
		info->note_of_no_record = info->n_notes;
	free(info->prefix);
	info->prefix = NULL;
}

void run_info_done(struct assay_run_info *info)
{
	if (!info)
		return;
	joined_done(&info->joined);
	for (size_t i = 0; i < info->n_facts; i++)
		fact_done(&info->facts[i]);
	for (size_t i = 0; i < info->n_notes; i++)
		free(info->notes[i]);
	free(info->facts);
	free(info->notes);
	free(info->devices);
	free(info->watched.text);
	free(info->watched.people);
	for (size_t i = 0; i < info->watched.n_beside; i++)
		free(info->watched.beside[i]);
	free(info->watched.beside);
	free(info->names);
	free(info->run_totals);
	free(info->id);
	free(info->prefix);
	free(info->program_version);
	free(info->argv_redacted);
	free(info->working_directory);
	free(info->measurements_option);
	free(info->limits_option);
	free(info->limit_cgroup);
	free(info->message);
	free(info->name);
	for (size_t i = 0; i < info->n_tags; i++)
		free(info->tags[i]);
	free(info->tags);
	for (size_t i = 0; i < info->n_own_cgroups; i++)
		free(info->own_cgroups[i]);
	free(info->own_cgroups);
	free(info->parent.id);
	free(info->parent.prefix);
	memset(info, 0, sizeof(*info));
}
