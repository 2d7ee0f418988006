/* SPDX-License-Identifier: MIT */
/* Links a run to the one it runs in. */
#include "api/nested.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launch/keeper.h"
#include "linux/proc_stat.h"
#include "linux/roots.h"
#include "model/run_info.h"

#define ID_VARIABLE "ASSAY_RUN_ID"
#define PREFIX_VARIABLE "ASSAY_RUN_PREFIX"
/* Longer chains than this are no chains of shells. */
#define ANCESTORS_MAX 1024

/* The recorder's pid in an id such as 2026.11.27T20.52.26-1234; 0 when the text is no id. */
static pid_t pid_of_id(const char *id)
{
	static const char form[] = "0000.00.00T00.00.00-";
	char *end;

	for (size_t i = 0; i < sizeof(form) - 1; i++)
		if (form[i] == '0' ? !isdigit((unsigned char) id[i]) : id[i] != form[i])
			return 0;
	const char *digits = id + sizeof(form) - 1;
	if (!isdigit((unsigned char) digits[0]))
		return 0;
	errno = 0;
	long pid = strtol(digits, &end, 10);
	return errno == 0 && *end == '\0' && pid <= INT_MAX ? (pid_t) pid : 0;
}

static bool read_stat(const struct roots *roots, pid_t pid, struct proc_stat *ret)
{
	char path[32];
	char text[1024];

	snprintf(path, sizeof(path), "%d/stat", (int) pid);
	ssize_t n = roots->proc >= 0 ? read_root_file(roots->proc, path, text, sizeof(text)) : -1;
	return n > 0 && proc_stat_parse(text, (size_t) n, ret) == 0;
}

/* Between a recorder and all of its job stands its keeper. Without that an id that was carried along to another machine or PID namespace would
 * make anything a recorder that has the same pid there; process 1, which a container's recorder often is, is everybody's ancestor. */
static bool is_recorder_above(const struct roots *roots, pid_t wanted)
{
	struct proc_stat stat = { .ppid = getpid() };

	for (int i = 0; i < ANCESTORS_MAX && stat.ppid > 0; i++) {
		if (!read_stat(roots, stat.ppid, &stat))
			return false;
		if (stat.ppid == wanted)
			return strcmp(stat.name, KEEPER_NAME) == 0;
	}
	return false;
}

void nested_find_parent(struct assay_run_info *info, const struct roots *roots)
{
	const char *id = getenv(ID_VARIABLE);
	const char *prefix = getenv(PREFIX_VARIABLE);

	if (!id || !*id)
		return;
	pid_t pid = pid_of_id(id);
	if (pid == 0) {
		run_info_note(info, ID_VARIABLE " holds no id of a run: ignored");
		return;
	}
	if (!is_recorder_above(roots, pid)) {
		run_info_note(info,
			ID_VARIABLE " names the run %s, but its recorder is no ancestor of "
				    "this one as far as can be seen: not linked to it",
			id);
		return;
	}
	info->parent.id = strdup(id);
	if (prefix && prefix[0] == '/')
		info->parent.prefix = strdup(prefix);
}

/* NULL when the directory the prefix starts from is not known. */
static char *prefix_variable(const struct assay_run_info *info)
{
	const char *directory = info->prefix[0] == '/' ? "" : info->working_directory;
	char *text = NULL;

	if (!directory)
		return strdup(PREFIX_VARIABLE);
	if (asprintf(&text, PREFIX_VARIABLE "=%s%s%s", directory, *directory ? "/" : "",
		    info->prefix) < 0)
		return NULL;
	return text;
}

int nested_environment_make(struct nested_environment *e, const struct assay_run_info *info)
{
	*e = (struct nested_environment){ 0 };
	if (asprintf(&e->variables[0], ID_VARIABLE "=%s", info->id) < 0)
		e->variables[0] = NULL;
	/* A name without a value takes the variable away (glibc's putenv(3)): an outer run's files are not this run's. */
	e->variables[1] = info->prefix ? prefix_variable(info) : strdup(PREFIX_VARIABLE);
	if (e->variables[0] && e->variables[1])
		return 0;
	nested_environment_free(e);
	return -ENOMEM;
}

void nested_environment_free(struct nested_environment *e)
{
	free(e->variables[0]);
	free(e->variables[1]);
	*e = (struct nested_environment){ 0 };
}
